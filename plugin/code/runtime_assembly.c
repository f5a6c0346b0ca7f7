#include "plugin/code/runtime_assembly.h"

/* KESCO_RUNTIME_ASSEMBLY is the file's path, set by the build. */
__asm__(".section .rodata.kesco_runtime_assembly, \"a\"\n"
        ".hidden kesco_runtime_assembly, kesco_runtime_assembly_end\n"
        ".global kesco_runtime_assembly, kesco_runtime_assembly_end\n"
        ".balign 16\n"
        "kesco_runtime_assembly:\n"
        ".incbin \"" KESCO_RUNTIME_ASSEMBLY "\"\n"
        "kesco_runtime_assembly_end:\n"
        ".text\n");
