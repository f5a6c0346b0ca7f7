/* What the rule tests' kernels and host code share. */
#ifndef KESCO_TEST_VGPU_RULES_IMAGE_H
#define KESCO_TEST_VGPU_RULES_IMAGE_H

enum { JOURNAL_LIMIT = 256 };

/* The order in which `note` kernels ran. */
struct journal {
    int count;
    int entries[JOURNAL_LIMIT];
};

#endif
