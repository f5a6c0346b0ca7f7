/*
 * A device image as vgpu-device would make it, by hand: kernels that tell on themselves. Each runs as one
 * thread and does its work in plain C. `note` writes to host memory that is none of the device's, unseen by
 * the engine.
 */
#include "test/vgpu/rules/image.h"
#include "test/vgpu/device.h"
#include "test/vgpu/device_abi.h"

__attribute__((visibility("default"))) extern const struct vgpu_module vgpu_module;

static int counter = 7;
static const int constants[4] = {1, 2, 3, 4};

/* What an instrumented access does, and what it counts for. */
static void touch(const void *address, uint64_t size, uint32_t kind) {
    vgpu_work[VGPU_WORK_ALL]++;
    if (vgpu_recording)
        vgpu_access(address, size, kind);
}

static void note(void **args) {
    struct journal *journal = *(struct journal **)args[0];
    if (journal->count < JOURNAL_LIMIT)
        journal->entries[journal->count++] = *(int *)args[1];
}

static void fill(void **args) {
    char *memory = *(char **)args[0];
    const uint64_t size = *(uint64_t *)args[1];
    const char value = *(char *)args[2];
    for (uint64_t i = 0; i < size; i++) {
        touch(memory + i, 1, VGPU_WRITE);
        memory[i] = value;
    }
}

static void sum(void **args) {
    const char *memory = *(const char **)args[0];
    const uint64_t size = *(uint64_t *)args[1];
    long *result = *(long **)args[2];
    *result = 0;
    for (uint64_t i = 0; i < size; i++) {
        touch(memory + i, 1, VGPU_READ);
        *result += memory[i];
    }
}

static void add(void **args) {
    int *memory = *(int **)args[0];
    touch(memory, sizeof(*memory), VGPU_ATOMIC);
    *memory += *(int *)args[1];
}

/* Touches the image's own constants, as device code does with strings and tables. */
static void count(void **args) {
    touch(&constants[1], sizeof(constants[1]), VGPU_READ);
    touch(&counter, sizeof(counter), VGPU_WRITE);
    counter += constants[*(int *)args[0] & 3];
}

/* A struct by value. */
static void move(void **args) {
    const struct pair *pair = args[0];
    char *to = pair->to - pair->back;
    const char *from = pair->from - pair->back;
    touch(from, 1, VGPU_READ);
    touch(to, 1, VGPU_WRITE);
    *to = *from;
}

/* Reads a range, if there is one, and does a given amount of work. */
static void work(void **args) {
    const char *memory = *(const char **)args[0];
    const uint64_t size = *(uint64_t *)args[1];
    if (size)
        touch(memory, size, VGPU_READ);
    vgpu_work[VGPU_WORK_ALL] += *(uint64_t *)args[2];
}

static void print(void **args) {
    (void)args;
    vgpu_printed();
}

static void trap(void **args) {
    (void)args;
    __builtin_trap();
}

static const uint32_t sizes[] = {sizeof(void *), sizeof(uint64_t), sizeof(void *)};
static const uint32_t note_sizes[] = {sizeof(void *), sizeof(int)};
static const uint32_t fill_sizes[] = {sizeof(void *), sizeof(uint64_t), sizeof(char)};
static const uint32_t count_sizes[] = {sizeof(int)};
static const uint32_t move_sizes[] = {sizeof(struct pair)};

static const struct vgpu_kernel kernels[] = {
    {"_Z4notePvi", note, 2, note_sizes, 0, 0, NULL, 0},  {"_Z4fillPcmc", fill, 3, fill_sizes, 0, 0, NULL, 0},
    {"_Z3sumPKcmPl", sum, 3, sizes, 0, 0, NULL, 0},      {"_Z3addPii", add, 2, note_sizes, 0, 0, NULL, 0},
    {"_Z5counti", count, 1, count_sizes, 0, 0, NULL, 0}, {"_Z4trapv", trap, 0, NULL, 0, 0, NULL, 0},
    {"_Z5sharev", trap, 0, NULL, 40 << 10, 0, NULL, 0},  {"_Z4move4pair", move, 1, move_sizes, 0, 0, NULL, 0},
    {"_Z5printv", print, 0, NULL, 0, 0, NULL, 0},        {"_Z4workPKcmm", work, 3, sizes, 0, 0, NULL, 0},
};

static const struct vgpu_var vars[] = {{"counter", &counter, sizeof(counter), VGPU_VAR_DEVICE}};

const struct vgpu_module vgpu_module = {
    .version = VGPU_MODULE_VERSION,
    .kernel_count = sizeof(kernels) / sizeof(*kernels),
    .kernels = kernels,
    .var_count = sizeof(vars) / sizeof(*vars),
    .vars = vars,
};
