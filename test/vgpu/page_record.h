/*
 * Which pages of managed memory an op touches. Kernels are watched by their instrumented accesses, whether
 * races are checked or not, but only where virtual time is kept and there is managed memory: else it costs
 * nothing.
 */
#ifndef KESCO_TEST_VGPU_PAGE_RECORD_H
#define KESCO_TEST_VGPU_PAGE_RECORD_H

#include "test/vgpu/memory.h"

/* Where a page of the allocation ends; the last one, with the allocation: another may be next to it. */
const char *page_end(const struct allocation *allocation, size_t page);

/* Begins with a kernel. Returns whether its accesses are to be told. */
bool page_record_begin(void);

/* The kernel touches a range; ignored if none is recorded. */
void page_record_touch(const void *address, size_t size);

/* Ends; what was touched, in order of allocations, goes to the list. */
void page_record_end(struct page_list *pages);

/* Adds the pages of a range, if it is managed memory. */
void page_record_range(const void *address, size_t size, struct page_list *pages);

#endif
