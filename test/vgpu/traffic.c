#include "test/vgpu/traffic.h"

#include "test/vgpu/device.h"
#include "test/vgpu/memory.h"
#include "test/vgpu/storage.h"
#include "test/vgpu/timeline.h"

#include <stdlib.h>

enum { SECTOR_BYTES = 32, SECTORS = 64, FIRST_CAPACITY = 1024 };

/* Lines in a row that stand together, for the sake of caches. */
enum { GROUP = 64 };

/* SECTORS sectors in a row. */
struct line {
    uintptr_t number;       /* address / bytes of a line */
    uint64_t kernel;        /* that touched it last; any other: the place is free */
    uint64_t reads, writes; /* one bit per sector */
    bool counts;            /* it is device memory */
};

/* What the running kernel touched: a hash table with linear probing. */
static struct {
    bool on;
    uint64_t kernel; /* the running one, from 1 */
    struct line *lines;
    size_t capacity, used; /* capacity: a power of 2 */
    struct traffic sectors;
} watch;

bool traffic_begin(void) {
    watch.on = timeline_is_kept();
    watch.kernel++;
    watch.used = 0;
    watch.sectors = (struct traffic){0};
    return watch.on;
}

/* The line's place, or the free one where it belongs. */
static struct line *place_of(uintptr_t number) {
    const size_t group = (size_t)(number / GROUP * 0x9e3779b97f4a7c15u >> 20);
    size_t place = (group * GROUP + number % GROUP) & (watch.capacity - 1);
    while (watch.lines[place].kernel == watch.kernel && watch.lines[place].number != number)
        place = (place + 1) & (watch.capacity - 1);
    return &watch.lines[place];
}

static void grow(void) {
    struct line *old = watch.lines;
    const size_t old_capacity = watch.capacity;
    watch.capacity = old_capacity ? 4 * old_capacity : FIRST_CAPACITY;
    watch.lines = allocate(watch.capacity, sizeof(*watch.lines));
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i].kernel == watch.kernel)
            *place_of(old[i].number) = old[i];
    }
    free(old);
}

static bool is_on_device(const void *address) {
    const struct allocation *allocation = memory_find(address);
    return allocation && allocation->kind != MEMORY_PINNED && allocation->kind != MEMORY_REGISTERED;
}

static struct line *add_line(uintptr_t number, const void *address) {
    if (2 * watch.used >= watch.capacity)
        grow();
    watch.used++;
    struct line *line = place_of(number);
    *line = (struct line){.number = number, .kernel = watch.kernel, .counts = is_on_device(address)};
    return line;
}

/* The line `number`, in which the kernel touches memory of `address`'s allocation. */
static struct line *find_line(uintptr_t number, const void *address) {
    if (watch.capacity) {
        struct line *line = place_of(number);
        if (line->kernel == watch.kernel)
            return line;
    }
    return add_line(number, address);
}

/* Marks sectors of a line. Returns how many were not yet marked. */
static unsigned mark(uint64_t *bits, uint64_t sectors) {
    const uint64_t missing = sectors & ~*bits;
    if (!missing)
        return 0;
    *bits |= missing;
    return (unsigned)__builtin_popcountll(missing);
}

static void touch_line(struct line *line, uint64_t sectors, uint32_t kind) {
    if (!line->counts)
        return;
    if (kind & VGPU_READ)
        watch.sectors.read += mark(&line->reads, sectors);
    if (kind & VGPU_WRITE)
        watch.sectors.written += mark(&line->writes, sectors);
}

/* Sectors in a row, of one line. */
static uint64_t sectors_from(uintptr_t first, uintptr_t last) {
    return ~(uint64_t)0 >> (SECTORS - 1 - (last - first)) << first;
}

static void touch_lines(const void *address, uintptr_t first, uintptr_t last, uint32_t kind) {
    for (uintptr_t number = first / SECTORS; number <= last / SECTORS; number++) {
        const uintptr_t begin = number * SECTORS > first ? 0 : first % SECTORS;
        const uintptr_t end = (number + 1) * SECTORS <= last ? SECTORS - 1 : last % SECTORS;
        touch_line(find_line(number, address), sectors_from(begin, end), kind);
    }
}

/* Most accesses are within a sector. */
void traffic_touch(const void *address, size_t size, uint32_t kind) {
    if (!watch.on || !size)
        return;
    const uintptr_t first = (uintptr_t)address / SECTOR_BYTES,
                    last = ((uintptr_t)address + size - 1) / SECTOR_BYTES;
    if (first == last)
        touch_line(find_line(first / SECTORS, address), (uint64_t)1 << first % SECTORS, kind);
    else
        touch_lines(address, first, last, kind);
}

struct traffic traffic_end(void) {
    watch.on = false;
    return (struct traffic){watch.sectors.read * SECTOR_BYTES, watch.sectors.written * SECTOR_BYTES};
}
