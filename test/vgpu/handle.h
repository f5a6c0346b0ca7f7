/*
 * Handles of streams and events: numbers, not addresses, so that a stale or wild handle is found instead of
 * followed. A handle names its kind, its place in a table, and how often that place was used before.
 */
#ifndef KESCO_TEST_VGPU_HANDLE_H
#define KESCO_TEST_VGPU_HANDLE_H

#include <stddef.h>
#include <stdint.h>

struct handle_table {
    const char *name;      /* of what its handles stand for */
    uint8_t kind;          /* top byte of every handle of this table */
    uint32_t count;        /* places, used or free */
    void **objects;        /* by place; NULL: free */
    uint32_t *generations; /* by place: how often it was freed */
};

void *handle_new(struct handle_table *table, void *object);
void *handle_find(const struct handle_table *table, const void *handle); /* the object, or NULL */

/*
 * The object of a handle that the program hands over; NULL for NULL. Where there is none, the process ends
 * with status 67: a real driver follows such a handle, and crashes or answers anything (driver 580 on an
 * H100).
 */
void *handle_get(const struct handle_table *table, const void *handle);

void handle_free(struct handle_table *table, const void *handle); /* a live handle */

#endif
