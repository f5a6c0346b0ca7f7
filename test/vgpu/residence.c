#include "test/vgpu/residence.h"

#include "test/vgpu/storage.h"

#include <stdlib.h>

struct page {
    struct page *older, *newer; /* of a device: by when they were touched */
    int place;
    uint64_t job;   /* that brought it there, or is about to */
    uint64_t epoch; /* in which the host last touched it */
};

struct residence {
    uint32_t references;
    uint32_t number; /* from 1; no other residence has it */
    size_t size;     /* bytes */
    struct page pages[];
};

/* What lives on a device. */
static struct {
    struct page *oldest, *newest;
    size_t count;
    size_t most; /* 0: not limited */
} devices[DEVICE_LIMIT];

static size_t live;          /* residences */
static uint32_t last_number; /* given out */

static size_t page_count(size_t size) {
    return (size + PAGE_BYTES - 1) / PAGE_BYTES;
}

void residence_limit(int device, size_t bytes) {
    devices[device].most = bytes / PAGE_BYTES > 0 ? bytes / PAGE_BYTES : 1;
}

size_t residence_bytes(int device) {
    return devices[device].count * PAGE_BYTES;
}

static void leave(struct page *page) {
    if (page->place < 0)
        return;
    *(page->older ? &page->older->newer : &devices[page->place].oldest) = page->newer;
    *(page->newer ? &page->newer->older : &devices[page->place].newest) = page->older;
    page->older = page->newer = NULL;
    devices[page->place].count--;
}

/* The page lives there, and is the last one to have been touched. */
static void live_at(struct page *page, int place) {
    leave(page);
    page->place = place;
    if (place < 0)
        return;
    page->older = devices[place].newest;
    *(page->older ? &page->older->newer : &devices[place].oldest) = page;
    devices[place].newest = page;
    devices[place].count++;
}

struct residence *residence_new(size_t size) {
    const size_t count = page_count(size);
    struct residence *residence = allocate(1, sizeof(*residence) + count * sizeof(struct page));
    residence->references = 1;
    residence->number = ++last_number;
    residence->size = size;
    for (size_t i = 0; i < count; i++)
        residence->pages[i].place = LIVES_NOWHERE;
    live++;
    return residence;
}

struct residence *residence_retain(struct residence *residence) {
    residence->references++;
    return residence;
}

void residence_release(struct residence *residence) {
    if (!residence || --residence->references)
        return;
    live--;
    for (size_t i = 0; i < page_count(residence->size); i++)
        leave(&residence->pages[i]);
    free(residence);
}

bool residence_exists(void) {
    return live != 0;
}

void page_list_add(struct page_list *list, struct residence *residence, size_t first, size_t count) {
    list->ranges = with_room(list->ranges, list->count, &list->capacity, sizeof(*list->ranges));
    list->ranges[list->count++] = (struct page_range){residence_retain(residence), first, count};
}

void page_list_free(struct page_list *list) {
    for (size_t i = 0; i < list->count; i++)
        residence_release(list->ranges[i].residence);
    free(list->ranges);
    *list = (struct page_list){0};
}

void page_move_free(struct page_move *move) {
    free(move->after);
    *move = (struct page_move){0};
}

/* Neighbours mostly came together. */
static void add_after(struct page_move *move, uint64_t job) {
    if (!job || (move->after_count && move->after[move->after_count - 1] == job))
        return;
    move->after = with_room(move->after, move->after_count, &move->after_capacity, sizeof(*move->after));
    move->after[move->after_count++] = job;
}

/* Bytes of a page; the last one ends with one of the host's. */
static size_t bytes_of(const struct residence *residence, size_t page) {
    const size_t left = residence->size - page * PAGE_BYTES;
    const size_t whole = (left + HOST_PAGE_BYTES - 1) / HOST_PAGE_BYTES * HOST_PAGE_BYTES;

    return whole < PAGE_BYTES ? whole : PAGE_BYTES;
}

static uint64_t fault_on(const struct residence *residence, size_t page) {
    return (uint64_t)residence->number << 32 | page * PAGE_BYTES / FAULT_BYTES;
}

/* Lets the device's oldest pages leave until the others have room. */
static void evict(int place, uint64_t job, struct page_move *move) {
    while (place >= 0 && devices[place].most > 0 && devices[place].count > devices[place].most) {
        struct page *oldest = devices[place].oldest;
        add_after(move, oldest->job);
        live_at(oldest, LIVES_ON_HOST);
        oldest->job = job;
        move->evicted += PAGE_BYTES;
    }
}

static void bring_range(const struct page_range *range, int place, uint64_t job, struct page_move *move) {
    for (size_t i = range->first; i < range->first + range->count; i++) {
        struct page *page = &range->residence->pages[i];
        add_after(move, page->job);
        if (page->place == place) {
            live_at(page, place);
            continue;
        }
        if (page->place != LIVES_NOWHERE) {
            move->bytes[page->place + 1] += bytes_of(range->residence, i);
            move->faults += move->fault != fault_on(range->residence, i);
            move->fault = fault_on(range->residence, i);
            page->job = job;
        }
        live_at(page, place);
        evict(place, job, move);
    }
}

void residence_bring(const struct page_list *pages, int place, uint64_t job, struct page_move *move) {
    for (size_t i = 0; i < pages->count; i++)
        bring_range(&pages->ranges[i], place, job, move);
}

void residence_write(const struct page_list *pages, int place, uint64_t job) {
    for (size_t i = 0; i < pages->count; i++) {
        const struct page_range *range = &pages->ranges[i];
        for (size_t page = range->first; page < range->first + range->count; page++) {
            live_at(&range->residence->pages[page], place);
            range->residence->pages[page].job = job;
        }
    }
}

int residence_place(const struct page_list *pages) {
    return pages->count ? pages->ranges[0].residence->pages[pages->ranges[0].first].place : LIVES_NOWHERE;
}

bool residence_note_host(struct residence *residence, size_t page, uint64_t epoch) {
    if (residence->pages[page].epoch == epoch)
        return false;
    residence->pages[page].epoch = epoch;
    return true;
}
