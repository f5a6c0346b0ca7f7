/*
 * Tests of the virtual GPU's rules; those that every device has can be run on one, too (device/). A rule is a
 * function that runs in a process of its own, because VGPU_ variables are read at start; the test program
 * starts itself once per rule and seed and looks at how that ends.
 */
#ifndef KESCO_TEST_VGPU_RULES_RULES_H
#define KESCO_TEST_VGPU_RULES_RULES_H

#include "test/vgpu/rules/image.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum rule_kind {
    EVERY_SEED, /* every seed ends with `status` and prints `prints` */
    DIFFERS,    /* CUDA leaves it open: some seed ends with 0 and some with RULE_OTHER, and none otherwise */
    ONCE        /* as EVERY_SEED, with seed 0 only */
};

enum { RULE_SEEDS = 12, RULE_FAILED = 1, RULE_OTHER = 10 };

struct rule {
    const char *name;
    void (*run)(void);
    enum rule_kind kind;
    int status;              /* expected exit status */
    const char *environment; /* "NAME=value", or several with spaces between them, or NULL */
    const char *prints;      /* what its output must have in it, or NULL */
    const char *prints_not;  /* what its output must not have in it, or NULL */
    const char
        *alone; /* why it is about the virtual GPU alone, and not about every device; NULL: it is not */
    const char *summaries; /* lines of access summaries that the image has, or NULL for none */
};

/* A rule by its function, its kind and what else sets it apart, as designated initializers. */
#define RULE(function, ...) {.name = #function, .run = function, .kind = __VA_ARGS__}

/* Runs the rules; the main function of every rule test. */
int rules_main(int argc, char **argv, const struct rule *rules, size_t count);
#define RULES_MAIN(rules) rules_main(argc, argv, rules, sizeof(rules) / sizeof(*(rules)))

/* Ends the process with RULE_FAILED, naming the place, unless the condition holds. */
#define REQUIRE(condition) require(condition, #condition, __FILE__, __LINE__)
#define OK(call) REQUIRE((call) == cudaSuccess)
void require(bool condition, const char *text, const char *file, int line);

/* For rules of kind DIFFERS: ends the process with 0 or RULE_OTHER. */
_Noreturn void end_either_way(bool first);

extern struct journal journal;

/* Host stubs' addresses of the image's kernels, and of its variable. */
extern const char note_stub, fill_stub, sum_stub, add_stub, count_stub, trap_stub, share_stub, move_stub,
    print_stub, work_stub, missing_stub;
extern char counter_shadow;

/* Launches of one thread, by way of <<<>>>'s calls. */
cudaError_t launch(const void *stub, void **args, cudaStream_t stream);
void launch_note(int entry, cudaStream_t stream);
void launch_fill(void *memory, size_t size, char value, cudaStream_t stream);
void launch_sum(const void *memory, size_t size, long *result, cudaStream_t stream);
void launch_add(int *memory, int value, cudaStream_t stream);

/* A kernel that reads a range, which may be empty, and of which every thread runs `work` instructions. */
void launch_work(unsigned blocks, unsigned threads, const void *memory, size_t size, uint64_t work,
                 cudaStream_t stream);

/* Makes the page of a host variable one that kernels can write to. */
void reach(const void *memory);

/* The journal's place of an entry; -1: not there. */
int place_of(int entry);

cudaStream_t new_stream(unsigned flags);
cudaEvent_t new_event(void);

/* The second stream waits for the first's work so far. */
void fork_stream(cudaStream_t from, cudaStream_t to);
void *new_memory(size_t size);

#endif
