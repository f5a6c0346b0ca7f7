#define _DEFAULT_SOURCE
#include "test/vgpu/memory.h"

#include "test/vgpu/order.h"
#include "test/vgpu/pool.h"
#include "test/vgpu/race.h"
#include "test/vgpu/storage.h"
#include "test/vgpu/stream.h"
#include "test/vgpu/timeline.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { JUNK = 0xA5, PITCH_ALIGNMENT = 512 };

/* All allocations, by address. */
static size_t inserted; /* ever */
static struct allocation **allocations;
static size_t count, capacity;
static size_t used[DEVICE_LIMIT]; /* by device: bytes of its own memory */

static _Atomic uintptr_t lowest = UINTPTR_MAX, highest; /* all allocations that there ever were are between */

static _Atomic uintptr_t lowest_managed = UINTPTR_MAX,
                         highest_managed; /* the same, of those with residence */

/* The first allocation that begins behind `pointer`. */
static size_t upper_bound(const void *pointer) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if ((const char *)pointer < allocations[middle]->base)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

bool memory_may_hold(const void *pointer) {
    return (uintptr_t)pointer >= lowest && (uintptr_t)pointer < highest;
}

bool memory_may_be_managed(const void *pointer) {
    return (uintptr_t)pointer >= lowest_managed && (uintptr_t)pointer < highest_managed;
}

struct allocation *memory_find(const void *pointer) {
    const size_t behind = upper_bound(pointer);
    if (!behind)
        return NULL;
    struct allocation *allocation = allocations[behind - 1];
    return (size_t)((const char *)pointer - allocation->base) < allocation->size ? allocation : NULL;
}

bool memory_is_host(const struct allocation *allocation) {
    return allocation->kind != MEMORY_DEVICE && allocation->kind != MEMORY_SYMBOL;
}

bool memory_is_reachable(const struct allocation *allocation, int device) {
    if (allocation->maker.device == device || memory_is_host(allocation))
        return true;
    if (allocation->pool)
        return pool_is_reachable(allocation->pool, device);
    return engine.gpus[device].peers >> allocation->maker.device & 1;
}

static bool is_device(const struct allocation *allocation) {
    return allocation->kind == MEMORY_DEVICE || allocation->kind == MEMORY_MANAGED;
}

/* True if it takes the device's memory as long as it exists. Managed memory comes and goes by pages where it
 * is the host's, too. */
static bool takes_device(enum memory_kind kind) {
    return kind == MEMORY_DEVICE || (kind == MEMORY_MANAGED && !settings.concurrent_managed);
}

size_t memory_used(int device) {
    const size_t all = used[device] + residence_bytes(device);
    return all < settings.memory ? all : settings.memory;
}

/* What is left is for pages. */
static void change_used(int device, size_t size, bool more) {
    used[device] = more ? used[device] + size : used[device] - size;
    residence_limit(device, settings.memory - used[device]);
}

static struct allocation *insert(void *base, size_t size, enum memory_kind kind, const char *api,
                                 int device) {
    struct allocation *allocation = allocate(1, sizeof(*allocation));
    allocation->base = base;
    allocation->size = size;
    allocation->number = inserted++;
    allocation->kind = kind;
    allocation->maker.device = device;
    allocation->maker.api = api;
    allocation->maker.site = thread_state.site;
    allocations = with_room(allocations, count, &capacity, sizeof(*allocations));
    if ((uintptr_t)base < lowest)
        lowest = (uintptr_t)base;
    if ((uintptr_t)base + size > highest)
        highest = (uintptr_t)base + size;
    const size_t place = upper_bound(base);
    memmove(allocations + place + 1, allocations + place, (count - place) * sizeof(*allocations));
    allocations[place] = allocation;
    count++;
    if (takes_device(kind))
        change_used(device, size, true);
    return allocation;
}

/* Forgets the allocation and gives back its pages. */
static void remove_allocation(struct allocation *allocation) {
    const size_t place = upper_bound(allocation->base) - 1;
    memmove(allocations + place, allocations + place + 1, (count - place - 1) * sizeof(*allocations));
    count--;
    if (takes_device(allocation->kind))
        change_used(allocation->maker.device, allocation->size, false);
    if (allocation->pool)
        pool_give_back(allocation->pool, allocation->size);
    if (allocation->pages.mapping)
        munmap(allocation->pages.mapping, allocation->pages.size);
    race_forget(allocation);
    residence_release(allocation->managed.residence);
    op_release(allocation->freed);
    op_release(allocation->managed.attachment);
    free(allocation);
}

/* Follows where the pages of a managed allocation live. */
static void follow_pages(struct allocation *allocation) {
    const uintptr_t first = (uintptr_t)allocation->base;
    allocation->managed.residence = timeline_follow(allocation->size);
    if (!allocation->managed.residence)
        return;
    for (int device = 0; device < settings.devices; device++)
        residence_limit(device, settings.memory - used[device]);
    if (first < lowest_managed)
        lowest_managed = first;
    if (first + allocation->size > highest_managed)
        highest_managed = first + allocation->size;
}

/* Maps `size` bytes between two inaccessible pages. NULL: no memory. */
static char *map_guarded(size_t size, void **mapping, size_t *mapping_size) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t inner = (size + page - 1) / page * page;
    char *outer = mmap(NULL, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (outer == MAP_FAILED)
        return NULL;
    *mapping = outer;
    *mapping_size = inner + 2 * page;
    if (mprotect(outer + page, inner, PROT_READ | PROT_WRITE) == 0)
        return outer + page;
    munmap(outer, *mapping_size);
    return NULL;
}

static struct allocation *make(size_t size, enum memory_kind kind, unsigned flags, int device) {
    void *mapping;
    size_t mapping_size;
    if (size > MEMORY_MOST || (takes_device(kind) && size > settings.memory - used[device]))
        return NULL;
    char *base = map_guarded(size, &mapping, &mapping_size);
    if (!base)
        return NULL;
    memset(base, JUNK, size);
    struct allocation *allocation = insert(base, size, kind, thread_state.api, device);
    allocation->pages.mapping = mapping;
    allocation->pages.size = mapping_size;
    allocation->maker.flags = flags;
    if (kind == MEMORY_MANAGED)
        follow_pages(allocation);
    return allocation;
}

static cudaError_t allocate_on(int device, void **pointer, size_t size, enum memory_kind kind,
                               unsigned flags) {
    if (!pointer)
        return cudaErrorInvalidValue;
    *pointer = NULL;
    if (!size)
        return cudaSuccess;
    const struct allocation *allocation = make(size, kind, flags, device);
    if (!allocation)
        return cudaErrorMemoryAllocation;
    *pointer = allocation->base;
    return cudaSuccess;
}

cudaError_t memory_allocate(void **pointer, size_t size, enum memory_kind kind, unsigned flags) {
    return allocate_on(thread_state.device, pointer, size, kind, flags);
}

static const char heap_maker[] = "malloc in a kernel";

struct allocation *memory_make_heap(size_t size, int device) {
    struct allocation *heap = make(size, MEMORY_DEVICE, 0, device);
    if (heap)
        heap->maker.api = heap_maker;
    return heap;
}

bool memory_is_heap(const struct allocation *allocation) {
    return allocation->maker.api == heap_maker;
}

cudaError_t memory_allocate_pitch(void **pointer, size_t *pitch, size_t width, size_t height) {
    if (!pointer || !pitch)
        return cudaErrorInvalidValue;
    if (width > MEMORY_MOST || (height && width > MEMORY_MOST / height))
        return cudaErrorMemoryAllocation;
    *pitch = (width + PITCH_ALIGNMENT - 1) / PITCH_ALIGNMENT * PITCH_ALIGNMENT;
    return memory_allocate(pointer, *pitch * height, MEMORY_DEVICE, 0);
}

/* Memory of a graph would live from one of its nodes to another. */
static cudaError_t open_stream(cudaStream_t handle, struct stream **stream) {
    const cudaError_t error = stream_open(handle, stream);
    if (!error && (*stream)->part.by)
        vgpu_unmodelled(thread_state.api, "in a stream that is captured");
    return error;
}

cudaError_t memory_allocate_async(void **pointer, size_t size, struct pool *pool, cudaStream_t stream) {
    struct stream *on;
    cudaError_t error = open_stream(stream, &on);
    if (error)
        return error;
    if (!pool)
        pool = pool_of_device(on->device);
    error = allocate_on(pool_device(pool), pointer, size, MEMORY_DEVICE, 0);
    if (error || !size)
        return error;
    struct op *op = op_new(OP_ALLOCATE);
    op->memory.allocation = memory_find(*pointer);
    op->memory.allocation->pool = pool;
    pool_take(pool, size);
    stream_issue(on, op);
    return cudaSuccess;
}

cudaError_t memory_make_graph_allocation(void **pointer, size_t size, int device, struct op **op) {
    const cudaError_t error =
        size ? allocate_on(device, pointer, size, MEMORY_DEVICE, 0) : cudaErrorInvalidValue;
    if (error)
        return error;
    *op = op_new(OP_ALLOCATE);
    (*op)->memory.allocation = memory_find(*pointer);
    (*op)->memory.allocation->graph.makes = true;
    return cudaSuccess;
}

/* The live allocation that begins at `pointer`, or NULL. */
static struct allocation *find_base(const void *pointer) {
    struct allocation *allocation = memory_find(pointer);
    return allocation && allocation->base == pointer && !allocation->freed ? allocation : NULL;
}

/* Host memory is every device's. */
static void synchronize_all(void) {
    for (int device = 0; device < settings.devices; device++)
        stream_synchronize_device(device);
}

cudaError_t memory_free(void *pointer) {
    if (!pointer)
        return cudaSuccess;
    struct allocation *allocation = find_base(pointer);
    if (!allocation || !is_device(allocation) || allocation->graph.frees)
        return cudaErrorInvalidValue;
    if (allocation->graph.makes) {
        stream_synchronize_device(allocation->maker.device);
        return cudaSuccess;
    }
    /* CUDA Programming Guide, "Stream Ordered Memory Allocator": cudaFree does not wait for pool memory. */
    if (allocation->pool)
        order_drain();
    else
        stream_synchronize_device(allocation->maker.device);
    remove_allocation(allocation);
    return cudaSuccess;
}

cudaError_t memory_free_host(void *pointer) {
    if (!pointer)
        return cudaSuccess;
    struct allocation *allocation = find_base(pointer);
    if (!allocation || allocation->kind != MEMORY_PINNED)
        return cudaErrorInvalidValue;
    synchronize_all();
    remove_allocation(allocation);
    return cudaSuccess;
}

cudaError_t memory_free_async(void *pointer, cudaStream_t stream) {
    struct stream *on;
    const cudaError_t error = open_stream(stream, &on);
    if (error)
        return error;
    if (!pointer)
        return cudaSuccess;
    struct allocation *allocation = find_base(pointer);
    if (!allocation || !is_device(allocation) || allocation->graph.frees)
        return cudaErrorInvalidValue;
    struct op *op = op_new(OP_FREE);
    op->memory.allocation = allocation;
    if (!allocation->graph.makes)
        allocation->freed = op_retain(op);
    stream_issue(on, op);
    return cudaSuccess;
}

cudaError_t memory_make_graph_free(void *pointer, struct op **op) {
    struct allocation *allocation = find_base(pointer);
    if (!allocation || !allocation->graph.makes)
        return cudaErrorInvalidValue;
    allocation->graph.frees = true;
    *op = op_new(OP_FREE);
    (*op)->memory.allocation = allocation;
    return cudaSuccess;
}

/* The last allocation that has a byte of the range, or NULL. */
static const struct allocation *find_overlapping(const char *base, size_t size) {
    const size_t behind = upper_bound(base + size - 1);
    if (!behind || allocations[behind - 1]->base + allocations[behind - 1]->size <= base)
        return NULL;
    return allocations[behind - 1];
}

cudaError_t memory_register(void *pointer, size_t size, unsigned flags) {
    const unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory |
                           cudaHostRegisterReadOnly;
    if (!pointer || !size || flags & ~known)
        return cudaErrorInvalidValue;
    const struct allocation *other = find_overlapping(pointer, size);
    if (other)
        return other->kind == MEMORY_DEVICE ? cudaErrorInvalidValue : cudaErrorHostMemoryAlreadyRegistered;
    insert(pointer, size, MEMORY_REGISTERED, thread_state.api, thread_state.device)->maker.flags = flags;
    return cudaSuccess;
}

cudaError_t memory_unregister(void *pointer) {
    struct allocation *allocation = find_base(pointer);
    if (!pointer || !allocation || allocation->kind != MEMORY_REGISTERED)
        return cudaErrorHostMemoryNotRegistered;
    synchronize_all();
    remove_allocation(allocation);
    return cudaSuccess;
}

void memory_add_symbol(void *base, size_t size, const char *name, int device) {
    if (size)
        insert(base, size, MEMORY_SYMBOL, name, device);
}

void memory_run(struct op *op) {
    struct allocation *allocation = op->memory.allocation;
    race_touch(allocation->base, allocation->size, VGPU_WRITE);
    memset(allocation->base, JUNK, allocation->size);
}

void memory_sweep(void) {
    for (size_t i = count; i-- > 0;) {
        const struct op *freed = allocations[i]->freed;
        if (freed && freed->state == OP_DONE && op_known(freed) && !order_pending())
            remove_allocation(allocations[i]);
    }
}

void memory_each(void (*visit)(struct allocation *allocation)) {
    for (size_t i = 0; i < count; i++)
        visit(allocations[i]);
}

void memory_reset(int device) {
    for (size_t i = count; i-- > 0;) {
        if (allocations[i]->maker.device == device && allocations[i]->kind != MEMORY_SYMBOL)
            remove_allocation(allocations[i]);
    }
}
