/* The random choices of a generated program: the same on every machine for the same seed. */
#ifndef KESCO_TEST_FUZZ_RANDOM_H
#define KESCO_TEST_FUZZ_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct random {
    uint64_t state;
};

void random_seed(struct random *random, uint64_t seed);

/* A number from 0 to limit-1; limit is not 0. */
unsigned random_below(struct random *random, unsigned limit);

/* True `percent` times in 100. */
bool random_percent(struct random *random, unsigned percent);

#endif
