#include "test/fuzz/random.h"

/* SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014). */
static uint64_t next(struct random *random) {
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void random_seed(struct random *random, uint64_t seed) {
    random->state = seed;
}

unsigned random_below(struct random *random, unsigned limit) {
    return (unsigned)(next(random) % limit);
}

bool random_percent(struct random *random, unsigned percent) {
    return random_below(random, 100) < percent;
}
