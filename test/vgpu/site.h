/*
 * Call sites: where the program called an API function, for messages. Captured only while races are checked,
 * because walking the stack is slow.
 */
#ifndef KESCO_TEST_VGPU_SITE_H
#define KESCO_TEST_VGPU_SITE_H

#include <stddef.h>

enum { SITE_DEPTH = 4, SITE_TEXT = 512 };

/* Return addresses outside this library, innermost first; NULL where there are fewer. */
struct site {
    void *caller[SITE_DEPTH];
};

/* The calling thread's stack. */
struct site site_here(void);

/*
 * Writes "file:line" of the innermost caller that is not in a CUDA header, as llvm-symbolizer (in PATH, or of
 * the LLVM that this was built against) says; else "object+offset" of the innermost; else "unknown place".
 */
void site_describe(const struct site *site, char text[SITE_TEXT]);

/* Writes `symbol` as C++ source has it where there is a C++ runtime to ask, else unchanged. */
void symbol_describe(const char *symbol, char text[SITE_TEXT]);

#endif
