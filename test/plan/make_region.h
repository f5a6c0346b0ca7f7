/* Regions for tests, piece by piece. */
#ifndef KESCO_TEST_PLAN_MAKE_REGION_H
#define KESCO_TEST_PLAN_MAKE_REGION_H

#include "plugin/region/region.h"
#include "test/cmocka.h"

static inline void *grow(struct kesco_op_region *region, void *items, uint32_t count, uint32_t *room,
                         size_t size) {
    void *list = items;
    assert_int_equal(kesco_region_reserve(region, &list, count, room, size), 0);
    return list;
}

#define APPEND(region, list, ...)                                                                            \
    do {                                                                                                     \
        (list)->items = grow(region, (list)->items, (list)->count, &(list)->room, sizeof(*(list)->items));   \
        (list)->items[(list)->count++] = __VA_ARGS__;                                                        \
    } while (0)

/* A kernel that writes the object, which is one part, by a pointer that moves in loops, or does not. */
static inline void add_kernel(struct kesco_op_region *region, uint32_t object, bool moves) {
    uint32_t id = region->ops.count;
    APPEND(region, &region->ops,
           (struct kesco_region_op){.op = {.name = "kernel", .cost = 1, .priority = 1},
                                    .memory = {.is_told = true, .is_wholly_told = true},
                                    .call = {.is_launch = true, .can_be_node = true, .takes_stream = true}});
    struct kesco_region_op *op = &region->ops.items[id];
    APPEND(region, &op->memory.accesses,
           (struct kesco_op_access){.op = id, .object = object, .access = KESCO_WRITE});
    APPEND(region, &op->memory.pointers,
           (struct kesco_pointer){.object = object, .writes = true, .moves = moves});
}

static inline void add_object(struct kesco_op_region *region, const char *name, unsigned where) {
    APPEND(region, &region->objects, (struct kesco_object){.name = name, .where = where});
    APPEND(region, &region->parts, name);
}

#endif
