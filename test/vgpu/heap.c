#include "test/vgpu/heap.h"

#include "test/vgpu/device_abi.h"
#include "test/vgpu/exec.h"
#include "test/vgpu/memory.h"
#include "test/vgpu/race.h"
#include "test/vgpu/storage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNIT = 16 }; /* bytes: what every piece is aligned to */

/* Pieces lie side by side and make up the heap. */
struct piece {
    size_t offset, size; /* bytes */
    bool used;
};

static struct heap {
    struct allocation *memory; /* NULL: not yet used */
    size_t wanted;             /* bytes that it is to have; 0: the default */
    struct piece *pieces;      /* by offset; no two free ones side by side */
    size_t count, capacity;
    size_t next; /* the piece at which the next search begins */
} heaps[DEVICE_LIMIT];

static int selected;

cudaError_t heap_resize(int device, size_t size) {
    if (heaps[device].memory && size != heaps[device].memory->size)
        return cudaErrorInvalidValue;
    heaps[device].wanted = size;
    return cudaSuccess;
}

void heap_select(int device) {
    selected = device;
}

void heap_reset(int device) {
    free(heaps[device].pieces);
    heaps[device] = (struct heap){0};
}

static void insert_piece(struct heap *heap, size_t place, struct piece piece) {
    heap->pieces = with_room(heap->pieces, heap->count, &heap->capacity, sizeof(*heap->pieces));
    memmove(heap->pieces + place + 1, heap->pieces + place, (heap->count - place) * sizeof(piece));
    heap->pieces[place] = piece;
    heap->count++;
}

static void remove_piece(struct heap *heap, size_t place) {
    heap->count--;
    memmove(heap->pieces + place, heap->pieces + place + 1, (heap->count - place) * sizeof(struct piece));
}

static bool prepare(struct heap *heap) {
    const size_t size = heap->wanted ? heap->wanted : HEAP_DEFAULT_SIZE;
    if (!heap->memory)
        heap->memory = memory_make_heap(size, selected);
    if (heap->memory && !heap->count)
        insert_piece(heap, 0, (struct piece){.size = size / UNIT * UNIT});
    return heap->memory != NULL;
}

/* The place of the next free piece with so many bytes, or the count of pieces. */
static size_t find_free(const struct heap *heap, size_t size) {
    for (size_t i = 0; i < heap->count; i++) {
        const size_t place = (heap->next + i) % heap->count;
        if (!heap->pieces[place].used && heap->pieces[place].size >= size)
            return place;
    }
    return heap->count;
}

/* Kernels' malloc: a null pointer for no bytes, or where there is no room. */
VGPU_DEVICE_FN(void *, vgpu_fn_malloc, uint64_t size) {
    struct heap *heap = &heaps[selected];
    const size_t needed = (size + UNIT - 1) / UNIT * UNIT;
    if (!size || needed < size || !prepare(heap))
        return NULL;
    const size_t place = find_free(heap, needed);
    if (place == heap->count)
        return NULL;
    struct piece *piece = &heap->pieces[place];
    const struct piece rest = {piece->offset + needed, piece->size - needed, false};
    piece->size = needed;
    piece->used = true;
    heap->next = place;
    const size_t offset = piece->offset;
    if (rest.size)
        insert_piece(heap, place + 1, rest);
    race_forget_range(heap->memory, offset, needed);
    return heap->memory->base + offset;
}

/* The place of the used piece that begins at an address, or the count of pieces. */
static size_t find_used(const struct heap *heap, const char *address) {
    size_t low = 0, high = heap->count;
    const size_t offset = heap->memory ? (size_t)(address - heap->memory->base) : 0;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (heap->pieces[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    const bool found = low < heap->count && heap->pieces[low].used && heap->pieces[low].offset == offset;
    return found ? low : heap->count;
}

/* Kernels' free: of what malloc did not give, or gave and took back, the result is undefined; here it ends.
 */
VGPU_DEVICE_FN(void, vgpu_fn_free, void *address) {
    struct heap *heap = &heaps[selected];
    if (!address)
        return;
    const size_t place = find_used(heap, address);
    if (place == heap->count) {
        fprintf(stderr, "vgpu: kernel %s: free of %p, which malloc has not given out\n", vgpu_kernel_name(),
                address);
        vgpu_grid_abort(-EFAULT);
    }
    heap->pieces[place].used = false;
    if (place + 1 < heap->count && !heap->pieces[place + 1].used) {
        heap->pieces[place].size += heap->pieces[place + 1].size;
        remove_piece(heap, place + 1);
    }
    if (place && !heap->pieces[place - 1].used) {
        heap->pieces[place - 1].size += heap->pieces[place].size;
        remove_piece(heap, place);
    }
}

/* operator new and delete, which clang's headers only declare for devices. */

#define NEW(name)                                                                                            \
    VGPU_DEVICE_FN(void *, vgpu_fn_##name, uint64_t size) {                                                  \
        return vgpu_fn_malloc(size ? size : 1);                                                              \
    }
#define DELETE(name)                                                                                         \
    VGPU_DEVICE_FN(void, vgpu_fn_##name, void *address) {                                                    \
        vgpu_fn_free(address);                                                                               \
    }

NEW(_Znwm)
NEW(_Znam)
DELETE(_ZdlPv)
DELETE(_ZdaPv)

VGPU_DEVICE_FN(void, vgpu_fn__ZdlPvm, void *address, uint64_t size) {
    (void)size;
    vgpu_fn_free(address);
}
VGPU_DEVICE_FN(void, vgpu_fn__ZdaPvm, void *address, uint64_t size) {
    (void)size;
    vgpu_fn_free(address);
}
