#include "runtime/region/pass.h"

#include "runtime/region/lanes.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static uint64_t bit(uint32_t op) {
    return (uint64_t)1 << op;
}

void kesco_pass_begin(struct kesco_pass *pass, const struct kesco_region *region) {
    pass->count = pass->bytes = 0;
    pass->levels = region->levels;
    pass->aligned = pass->last = pass->continued = 0;
    pass->branches = 0;
    memset(pass->lanes, 0, region->lanes * sizeof *pass->lanes);
    memset(pass->events, 0, region->events * sizeof *pass->events);
}

struct kesco_shape kesco_shape_of(uint32_t launches, uint32_t branches, enum kesco_form form) {
    const bool is_chain = form == KESCO_FORM_CHAIN && branches > 1;

    return (struct kesco_shape){launches, is_chain ? 1 : branches};
}

/* Where an argument of that size begins, from `begin` on. */
static uint32_t align(uint32_t begin, uint32_t size) {
    const uint32_t alignment = size > 8 ? 16 : 8;

    return (begin + alignment - 1) / alignment * alignment;
}

static uint32_t find_end(uint32_t begin, const struct kesco_site *site) {
    uint32_t i;

    for (i = 0; i < site->argument_count; i++)
        begin = align(begin, site->argument_sizes[i]) + site->argument_sizes[i];
    return align(begin, UINT32_MAX);
}

bool kesco_pass_has_room(const struct kesco_pass *pass, const struct kesco_site *site) {
    return pass->count < KESCO_PASS_OPS && find_end(pass->bytes, site) <= KESCO_PASS_BYTES;
}

static uint64_t end_of(const struct kesco_pass *pass, uint32_t lane) {
    return lane == KESCO_LANE_ORIGIN ? pass->last : pass->lanes[lane] | pass->aligned;
}

void kesco_pass_record(struct kesco_pass *pass, uint32_t event, uint32_t lane) {
    pass->events[event] = end_of(pass, lane);
}

void kesco_pass_wait(struct kesco_pass *pass, uint32_t event, uint32_t lane) {
    pass->lanes[lane] |= pass->events[event];
}

void kesco_pass_align(struct kesco_pass *pass) {
    pass->aligned = pass->last;
}

/* Of `ops`, those that are not before others of them. */
static uint64_t latest(const struct kesco_pass *pass, uint64_t ops) {
    uint64_t past = 0, left;

    for (left = ops; left != 0; left &= left - 1)
        past |= pass->past[__builtin_ctzll(left)];
    return ops & ~past;
}

/* A launch right after those of `before` goes on with one of them, or begins a branch. */
static void go_on(struct kesco_pass *pass, uint64_t before) {
    const uint64_t ends = before & ~pass->continued;

    pass->branches += ends == 0;
    pass->continued |= ends & -ends;
}

struct kesco_launch *kesco_pass_add(struct kesco_pass *pass, uint32_t lane, const struct kesco_site *site) {
    const uint32_t op = pass->count++;
    uint64_t before = latest(pass, end_of(pass, lane)), left;

    pass->past[op] = before;
    for (left = before; left != 0; left &= left - 1)
        pass->past[op] |= pass->past[__builtin_ctzll(left)];
    pass->last = (pass->last & ~before) | bit(op);
    go_on(pass, before);
    if (lane == KESCO_LANE_ORIGIN)
        pass->aligned = bit(op);
    else
        pass->lanes[lane] = bit(op);
    pass->ops[op].site = site;
    pass->ops[op].level = lane == KESCO_LANE_ORIGIN || pass->levels == NULL ? 0 : pass->levels[lane];
    pass->ops[op].before = before;
    return &pass->ops[op];
}

void kesco_pass_copy_arguments(struct kesco_pass *pass, void *const *arguments) {
    struct kesco_launch *op = &pass->ops[pass->count - 1];
    const struct kesco_site *site = op->site;
    uint32_t i, begin = pass->bytes, end;

    op->begin = begin;
    for (i = 0; i < site->argument_count; i++) {
        end = align(begin, site->argument_sizes[i]);
        memset(&pass->arguments[begin], 0, end - begin); /* so that equal arguments are equal bytes */
        memcpy(&pass->arguments[end], arguments[i], site->argument_sizes[i]);
        begin = end + site->argument_sizes[i];
    }
    end = align(begin, UINT32_MAX);
    memset(&pass->arguments[begin], 0, end - begin);
    op->size = (uint16_t)(end - op->begin);
    pass->bytes = end;
}

void kesco_pass_find_arguments(const unsigned char *arguments, const struct kesco_launch *op, void **result) {
    uint32_t i, begin = op->begin;

    for (i = 0; i < op->site->argument_count; i++) {
        begin = align(begin, op->site->argument_sizes[i]);
        result[i] = (void *)(uintptr_t)&arguments[begin];
        begin += op->site->argument_sizes[i];
    }
}

bool kesco_snapshot_take(struct kesco_snapshot *snapshot, const struct kesco_pass *pass) {
    if (snapshot->ops == NULL)
        snapshot->ops = malloc(pass->count * sizeof *pass->ops + pass->bytes + 1);
    if (snapshot->ops == NULL)
        return false;
    snapshot->arguments = (unsigned char *)&snapshot->ops[pass->count];
    snapshot->count = pass->count;
    snapshot->branches = pass->branches;
    snapshot->bytes = pass->bytes;
    memcpy(snapshot->ops, pass->ops, pass->count * sizeof *pass->ops);
    memcpy(snapshot->arguments, pass->arguments, pass->bytes);
    return true;
}

bool kesco_snapshot_differs(const struct kesco_snapshot *snapshot, const struct kesco_pass *pass,
                            uint32_t op) {
    const struct kesco_launch *a = &snapshot->ops[op], *b = &pass->ops[op];

    return memcmp(a, b, sizeof *a) != 0 ||
           memcmp(&snapshot->arguments[a->begin], &pass->arguments[b->begin], a->size) != 0;
}

uint32_t kesco_snapshot_compare(const struct kesco_snapshot *snapshot, const struct kesco_pass *pass) {
    uint32_t op, differ = 0;

    if (memcmp(snapshot->ops, pass->ops, pass->count * sizeof *pass->ops) == 0 &&
        memcmp(snapshot->arguments, pass->arguments, pass->bytes) == 0)
        return 0;
    for (op = 0; op < pass->count; op++)
        differ += kesco_snapshot_differs(snapshot, pass, op);
    return differ;
}

void kesco_snapshot_clear(struct kesco_snapshot *snapshot) {
    free(snapshot->ops);
    memset(snapshot, 0, sizeof *snapshot);
}

/* Fowler, Noll and Vo's function, of words in place of bytes. */
static uint64_t hash_words(uint64_t hash, const void *words, size_t size) {
    const unsigned char *next = words;
    uint64_t word;
    size_t i;

    for (i = 0; i + sizeof word <= size; i += sizeof word) {
        memcpy(&word, next + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(1099511628211);
        hash ^= hash >> 32;
    }
    return hash;
}

uint64_t kesco_pass_hash(const struct kesco_pass *pass) {
    const uint64_t hash =
        hash_words(UINT64_C(14695981039346656037), pass->ops, pass->count * sizeof *pass->ops);

    return hash_words(hash, pass->arguments, pass->bytes);
}

static void issue_transfer(const struct kesco_transfer *transfer, cudaStream_t stream) {
    if (transfer->from == NULL)
        cudaMemsetAsync(transfer->to, (int)transfer->value, transfer->bytes, stream);
    else
        cudaMemcpyAsync(transfer->to, transfer->from, transfer->bytes, cudaMemcpyDeviceToDevice, stream);
}

/* It has this one argument. */
static const struct kesco_transfer *transfer_of(const struct kesco_pass *pass,
                                                const struct kesco_launch *op) {
    return (const void *)&pass->arguments[align(op->begin, op->site->argument_sizes[0])];
}

void kesco_pass_launch_op(const struct kesco_pass *pass, uint32_t op, cudaStream_t stream) {
    const struct kesco_launch *launch = &pass->ops[op];
    void *arguments[KESCO_ARGUMENTS_MOST];

    if (launch->function == NULL) {
        issue_transfer(transfer_of(pass, launch), stream);
        return;
    }
    kesco_pass_find_arguments(pass->arguments, launch, arguments);
    cudaLaunchKernel(launch->function, launch->grid, launch->block, arguments, launch->shared, stream);
}
