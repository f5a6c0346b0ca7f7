#define _GNU_SOURCE
#include "test/vgpu/resident.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A block beside the first one: its stacks are one mapping, as a process may not have one for each. */
struct resident {
    struct vgpu_block block;
    char *stacks;
    size_t stacks_size;
    char *shared; /* what its shared memory has while another block runs; NULL until it was left */
    bool begun;   /* and not ended */
};

static struct vgpu_thread first_threads[VGPU_BLOCK_LIMIT];
static struct resident first = {.block = {.threads = first_threads}};
struct vgpu_block *vgpu_block = &first.block;

static struct {
    struct resident **all; /* the first one too */
    size_t count, capacity;
    struct resident *running;
    const struct vgpu_launch *launch;
} residents;

static void release(struct resident *resident) {
    free(resident->shared);
    resident->shared = NULL;
    resident->begun = false;
    if (resident == &first)
        return;
    if (resident->stacks)
        munmap(resident->stacks, resident->stacks_size);
    free(resident->block.threads);
    free(resident);
}

void vgpu_resident_reset(void) {
    for (size_t i = 0; i < residents.count; i++)
        release(residents.all[i]);
    residents.count = 0;
    residents.running = &first;
    vgpu_block = &first.block;
}

/* Shared memory: the image's static one, then dynamic and reserved bytes. */

static size_t shared_size(void) {
    return residents.launch->kernel->shared_size + sizeof(vgpu_dynamic_shared);
}

static bool save_shared(struct resident *resident) {
    const struct vgpu_kernel *kernel = residents.launch->kernel;
    if (!resident->shared)
        resident->shared = malloc(shared_size());
    if (!resident->shared)
        return false;
    if (kernel->shared_size)
        memcpy(resident->shared, kernel->shared, kernel->shared_size);
    memcpy(resident->shared + kernel->shared_size, vgpu_dynamic_shared, residents.launch->dynamic_shared);
    memcpy(resident->shared + shared_size() - VGPU_RESERVED_SHARED,
           vgpu_dynamic_shared + VGPU_DYNAMIC_SHARED_LIMIT, VGPU_RESERVED_SHARED);
    return true;
}

static void restore_shared(const struct resident *resident) {
    const struct vgpu_kernel *kernel = residents.launch->kernel;
    if (kernel->shared_size)
        memcpy(kernel->shared, resident->shared, kernel->shared_size);
    memcpy(vgpu_dynamic_shared, resident->shared + kernel->shared_size, residents.launch->dynamic_shared);
    memcpy(vgpu_dynamic_shared + VGPU_DYNAMIC_SHARED_LIMIT,
           resident->shared + shared_size() - VGPU_RESERVED_SHARED, VGPU_RESERVED_SHARED);
}

/* Makes another block the running one. */
static int enter(struct resident *resident) {
    struct resident *left = residents.running;
    if (left != resident) {
        if (left->begun && !save_shared(left))
            return -ENOMEM;
        if (resident->begun)
            restore_shared(resident);
    }
    residents.running = resident;
    vgpu_block = &resident->block;
    memcpy(vgpu_registers.ctaid, resident->block.ctaid, sizeof(vgpu_registers.ctaid));
    return 0;
}

/* More of them */

static bool add(struct resident *resident) {
    if (residents.count == residents.capacity) {
        const size_t capacity = residents.capacity ? 2 * residents.capacity : 16;
        struct resident **all = realloc(residents.all, capacity * sizeof(*all));
        if (!all)
            return false;
        residents.all = all;
        residents.capacity = capacity;
    }
    residents.all[residents.count++] = resident;
    return true;
}

static struct resident *make(void) {
    const size_t guard = (size_t)sysconf(_SC_PAGESIZE);
    struct resident *made = calloc(1, sizeof(*made));
    if (!made)
        return NULL;
    made->block.thread_count = first.block.thread_count;
    made->block.active = true;
    made->block.threads = calloc(made->block.thread_count, sizeof(*made->block.threads));
    made->stacks_size = guard + (size_t)made->block.thread_count * VGPU_FIBER_STACK;
    made->stacks = mmap(NULL, made->stacks_size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made->stacks == MAP_FAILED)
        made->stacks = NULL;
    if (!made->block.threads || !made->stacks || mprotect(made->stacks, guard, PROT_NONE) || !add(made)) {
        release(made);
        return NULL;
    }
    for (uint32_t i = 0; i < made->block.thread_count; i++) {
        made->block.threads[i].fiber.stack = made->stacks + guard + (size_t)i * VGPU_FIBER_STACK;
        made->block.threads[i].fiber.stack_size = VGPU_FIBER_STACK;
    }
    return made;
}

/* One that has ended, or a new one. */
static struct resident *take(void) {
    for (size_t i = 0; i < residents.count; i++)
        if (!residents.all[i]->begun)
            return residents.all[i];
    return make();
}

/* Running */

/* The next one that has begun, in a ring. */
static struct resident *next_begun(size_t *place) {
    do {
        *place = (*place + 1) % residents.count;
    } while (!residents.all[*place]->begun);
    return residents.all[*place];
}

static void set_place(struct vgpu_block *block, uint64_t number) {
    const struct vgpu_dim3 *grid = &residents.launch->grid;
    block->ctaid[0] = (uint32_t)(number % grid->x);
    block->ctaid[1] = (uint32_t)(number / grid->x % grid->y);
    block->ctaid[2] = (uint32_t)(number / grid->x / grid->y);
}

static int begin(uint64_t number, int (*prepare)(void)) {
    struct resident *block = take();
    if (!block)
        return -ENOMEM;
    set_place(&block->block, number);
    const int error = enter(block);
    if (error)
        return error;
    block->begun = true;
    return prepare();
}

int vgpu_resident_run(const struct vgpu_launch *launch, int (*prepare)(void), int (*run)(void)) {
    const uint64_t blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    uint64_t begun = 0, live = 0;
    size_t place = 0;
    residents.launch = launch;
    if (!add(&first))
        return -ENOMEM;
    while (begun < blocks || live) {
        const bool begins = begun < blocks && (!live || live < launch->resident);
        int outcome = begins ? begin(begun, prepare) : enter(next_begun(&place));
        if (!outcome)
            outcome = run();
        if (outcome < 0)
            return outcome;
        begun += begins;
        live += begins;
        if (outcome == VGPU_BLOCK_ENDED) {
            residents.running->begun = false;
            live--;
        }
    }
    return 0;
}
