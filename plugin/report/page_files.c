#include "plugin/report/page_files.h"

/* KESCO_PAGE_STYLE and KESCO_PAGE_SCRIPT are the files' paths, set by the build. */
#define FILE_AS(name, path)                                                                                  \
    __asm__(".section .rodata." name ", \"a\"\n"                                                             \
            ".hidden " name "\n"                                                                             \
            ".global " name "\n" name ":\n"                                                                  \
            ".incbin \"" path "\"\n"                                                                         \
            ".byte 0\n"                                                                                      \
            ".text\n")

FILE_AS("kesco_page_style", KESCO_PAGE_STYLE);
FILE_AS("kesco_page_script", KESCO_PAGE_SCRIPT);
