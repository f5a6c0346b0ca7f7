#include "plugin/host/runtime_bitcode.h"

/* KESCO_RUNTIME_BITCODE is the file's path, set by the build. */
__asm__(".section .rodata.kesco_runtime_bitcode, \"a\"\n"
        ".hidden kesco_runtime_bitcode, kesco_runtime_bitcode_end\n"
        ".global kesco_runtime_bitcode, kesco_runtime_bitcode_end\n"
        ".balign 16\n"
        "kesco_runtime_bitcode:\n"
        ".incbin \"" KESCO_RUNTIME_BITCODE "\"\n"
        "kesco_runtime_bitcode_end:\n"
        ".text\n");
