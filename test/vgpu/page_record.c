#include "test/vgpu/page_record.h"

#include "test/vgpu/memory.h"
#include "test/vgpu/storage.h"
#include "test/vgpu/timeline.h"

#include <stdlib.h>

/* What the running kernel touched of one allocation. */
struct touch {
    struct residence *residence; /* the allocation's, which lives as long as the kernel runs */
    size_t pages;                /* of the allocation */
    bool *touched;               /* by page */
};

static struct {
    bool on;
    const char *known, *known_end; /* touching this range again changes nothing */
    struct touch *touches;
    size_t count, capacity;
} recorder;

bool page_record_begin(void) {
    recorder.on = timeline_is_kept() && residence_exists();
    recorder.known = recorder.known_end = NULL;
    return recorder.on;
}

static size_t page_of(const struct allocation *allocation, const char *address) {
    return (size_t)(address - allocation->base) / PAGE_BYTES;
}

const char *page_end(const struct allocation *allocation, size_t page) {
    const size_t end = (page + 1) * PAGE_BYTES;
    return allocation->base + (end < allocation->size ? end : allocation->size);
}

/* The last page of a range, or of the allocation that it leaves. */
static size_t last_page(const struct allocation *allocation, const char *address, size_t size) {
    const size_t left = allocation->size - (size_t)(address - allocation->base);
    return page_of(allocation, address + (size < left ? size : left) - 1);
}

static struct touch *find_touch(const struct allocation *allocation) {
    for (size_t i = 0; i < recorder.count; i++) {
        if (recorder.touches[i].residence == allocation->managed.residence)
            return &recorder.touches[i];
    }
    recorder.touches =
        with_room(recorder.touches, recorder.count, &recorder.capacity, sizeof(*recorder.touches));
    const size_t pages = page_of(allocation, allocation->base + allocation->size - 1) + 1;
    struct touch *touch = &recorder.touches[recorder.count++];
    *touch = (struct touch){allocation->managed.residence, pages, allocate(pages, sizeof(bool))};
    return touch;
}

void page_record_touch(const void *address, size_t size) {
    const char *first = address;
    if (!recorder.on || !size || (first >= recorder.known && first + size <= recorder.known_end))
        return;
    const struct allocation *allocation = memory_find(address);
    if (!allocation)
        return;
    recorder.known = allocation->base;
    recorder.known_end = allocation->base + allocation->size;
    if (!allocation->managed.residence)
        return;
    const size_t page = page_of(allocation, address), last = last_page(allocation, address, size);
    struct touch *touch = find_touch(allocation);
    for (size_t i = page; i <= last; i++)
        touch->touched[i] = true;
    recorder.known = allocation->base + page * PAGE_BYTES;
    recorder.known_end = page_end(allocation, last);
}

/* The touched pages, as ranges. */
static void add_ranges(const struct touch *touch, struct page_list *pages) {
    for (size_t i = 0; i < touch->pages; i++) {
        const size_t first = i;
        while (i < touch->pages && touch->touched[i])
            i++;
        if (i > first)
            page_list_add(pages, touch->residence, first, i - first);
    }
}

void page_record_end(struct page_list *pages) {
    for (size_t i = 0; i < recorder.count; i++) {
        add_ranges(&recorder.touches[i], pages);
        free(recorder.touches[i].touched);
    }
    recorder.count = 0;
    recorder.on = false;
}

void page_record_range(const void *address, size_t size, struct page_list *pages) {
    const struct allocation *allocation = timeline_is_kept() && size ? memory_find(address) : NULL;
    if (!allocation || !allocation->managed.residence)
        return;
    const size_t first = page_of(allocation, address);
    page_list_add(pages, allocation->managed.residence, first,
                  last_page(allocation, address, size) - first + 1);
}
