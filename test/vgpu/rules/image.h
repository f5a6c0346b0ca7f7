/* What the rule tests' kernels and host code share. */
#ifndef KESCO_TEST_VGPU_RULES_IMAGE_H
#define KESCO_TEST_VGPU_RULES_IMAGE_H

enum { JOURNAL_LIMIT = 256 };

/* The order in which `note` kernels ran. */
struct journal {
    int count;
    int entries[JOURNAL_LIMIT];
};

/* What `move` takes: it moves the byte that stands `back` bytes before either pointer. */
struct pair {
    long back;
    char *to;
    const char *from;
};

#endif
