/* A kernel of the generated programs: how it is written, and what a launch of it takes. */
#ifndef KESCO_TEST_FUZZ_KERNEL_H
#define KESCO_TEST_FUZZ_KERNEL_H

#include <stdbool.h>

/*
 * Parameters, a letter each:
 *   w  a pointer that is written            s  a number
 *   r  one that is read                     o  the paper's `outputs`
 *   n  one that is read and may be null     a  a pointer as a number
 *   v  one to whole vectors                 S, L  structs of 8 and 256 bytes
 *   u  one; the next U is one that does     O  one of 12 bytes and an empty one
 *      not overlap                          H  a struct of two pointers
 * and structs with pointers inside:
 *   I  a number and one                     V  a base with two, and a number
 *   T  two and a number                     A  a union
 *   M  an array of three, and a number      R  a reference
 *   N  a struct within a struct             f  a function object
 *                                           l  a lambda
 */
struct kernel {
    const char *name;       /* as launched */
    const char *parameters; /* letters */
    const char *forms[4];   /* what may stand before it; an empty string for nothing */
    const char *head;       /* up to the parameters' end; without the closing parenthesis */
    int paper;              /* the number of outputs in the paper's form; 0 for no such form */
    const char *body;       /* NULL for random assembly */
    bool symbol;            /* touches a __device__ variable */
};

/* annotated_kernel.c: kernels with annotations. */
extern const struct kernel annotated_kernels[];
enum { ANNOTATED_KERNELS = 25 };

/* bare_kernel.c: kernels without annotations. */
extern const struct kernel bare_kernels[];
enum { BARE_KERNELS = 28 };

#endif
