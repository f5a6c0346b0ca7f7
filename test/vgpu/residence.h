/*
 * Where the pages of managed memory live, as virtual time goes by (timeline.h): on the host, on a device, or
 * nowhere, before anything has touched them (CUDA Programming Guide, "Unified Memory": pages "may not be
 * populated until it is accessed"). Who touches a page that lives elsewhere has it brought. The first touch
 * decides where it lives, and costs nothing.
 *
 * Where a device is full, pages that it has not touched for longest leave for the host as others come
 * (Ganguly et al., "Interplay between Hardware Prefetcher and Page Eviction Policy in CPU-GPU Unified Virtual
 * Memory", ISCA 2019: the driver's order is near that), one behind the other.
 *
 * A page here has PAGE_BYTES. Faults on neighbours, within FAULT_BYTES, count as one;
 * how many of them are served is the demand's (demand.h).
 */
#ifndef KESCO_TEST_VGPU_RESIDENCE_H
#define KESCO_TEST_VGPU_RESIDENCE_H

#include "test/vgpu/hardware.h"
#include "test/vgpu/settings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A place is one of these, or a device's number. */
enum { LIVES_NOWHERE = -2, LIVES_ON_HOST = -1 };

/* The pages of one allocation. */
struct residence;

struct residence *residence_new(size_t size);
struct residence *residence_retain(struct residence *residence);
void residence_release(struct residence *residence); /* NULL allowed */

/* True if there is managed memory whose pages are followed. */
bool residence_exists(void);

/* How many bytes of pages a device has room for; how many live there. */
void residence_limit(int device, size_t bytes);
size_t residence_bytes(int device);

/* Pages of one allocation, in a row. */
struct page_range {
    struct residence *residence; /* a reference */
    size_t first, count;
};

/* Pages of any allocations. */
struct page_list {
    struct page_range *ranges;
    size_t count, capacity;
};

void page_list_add(struct page_list *list, struct residence *residence, size_t first, size_t count);
void page_list_free(struct page_list *list);

/* What brings pages to a place. */
struct page_move {
    size_t bytes[DEVICE_LIMIT + 1]; /* by the place that they come from, plus 1 */
    size_t evicted;                 /* bytes that had to leave for the host */
    size_t faults;                  /* on pages that were to come */
    uint64_t fault;                 /* the last one: which FAULT_BYTES of which allocation; 0: none */
    uint64_t *after;                /* jobs that may still be bringing some of the pages somewhere; owned */
    size_t after_count, after_capacity;
};
void page_move_free(struct page_move *move);

/* Makes the pages live at `place`, brought there by the job `job`. Adds to `move`. */
void residence_bring(const struct page_list *pages, int place, uint64_t job, struct page_move *move);

/* Makes the pages live at `place`, where the job `job` writes them, whatever they were. */
void residence_write(const struct page_list *pages, int place, uint64_t job);

/* Where the first of the pages lives; LIVES_NOWHERE if there are none. */
int residence_place(const struct page_list *pages);

/*
 * The host touches a page: false if that is known, because it did so in this epoch. What may bring pages away
 * from the host begins a new epoch.
 */
bool residence_note_host(struct residence *residence, size_t page, uint64_t epoch);

#endif
