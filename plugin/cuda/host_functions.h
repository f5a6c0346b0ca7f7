/*
 * Host functions: what is known of functions of the C and C++ libraries by their names alone.
 */
#ifndef KESCO_CUDA_HOST_FUNCTIONS_H
#define KESCO_CUDA_HOST_FUNCTIONS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In bits. */
enum kesco_host_trait {
    KESCO_HOST_PLAIN = 1,    /* orders no host threads, and takes no function of the program's to call */
    KESCO_HOST_ACTIVE = 2,   /* is given a function to call, waits for or wakes others (what they then wait
                                for must be there), or starts a process */
    KESCO_HOST_COMPUTES = 4, /* only computes: never comes back into the program */
    KESCO_HOST_CLOCK = 8,    /* tells the time */
    KESCO_HOST_FILES = 16,   /* changes names or rights of files */
    KESCO_HOST_THROWS = 32,  /* the C++ library throws its exceptions by it */
    KESCO_HOST_CUDA = 64,    /* belongs to CUDA or one of its libraries: no program defines it */
    KESCO_HOST_WORDS = 128,  /* puts out words, or looks at them, or gives memory back: leaves nothing else */
    KESCO_HOST_STREAM = 256, /* the same with the std::ostream that it is given first, or returned for */
    KESCO_HOST_NEW = 512,    /* returns memory that nobody else has yet */
};

/* The traits of the function of that name, of `length` bytes; 0 where nothing is known of it here. */
unsigned kesco_host_traits(const char *name, size_t length);

#ifdef __cplusplus
}
#endif

#endif
