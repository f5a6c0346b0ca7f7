#include "plugin/report/gain.h"

#include "plugin/report/picture.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void raise(size_t *value, size_t least) {
    if (*value < least)
        *value = least;
}

/* Whether the lanes of the op are left to the run. */
static bool is_placed(const struct kesco_report_function *function, unsigned op) {
    for (size_t i = 0; i < function->regions.placed_count; i++)
        if (function->regions.placed[i] == function->ops[op].region)
            return true;
    return false;
}

/* Raises `steps` of `to` above those of `from`, where that is issued before in the same region. */
static void follow(const struct kesco_report_function *function, unsigned from, unsigned to, size_t *steps) {
    const struct kesco_report_op *a = &function->ops[from], *b = &function->ops[to];
    if (a->order < b->order && a->region == b->region)
        raise(&steps[to], steps[from] + 1);
}

/* The ops that the op comes after by the plan: the last one on its lane, and what it waits for. */
static void place(const struct kesco_report_function *function, unsigned op, const unsigned *sequence,
                  size_t before, size_t *steps) {
    bool placed = is_placed(function, op);
    steps[op] = 1;
    while (!placed && before-- > 0)
        if (function->ops[sequence[before]].lane == function->ops[op].lane) {
            follow(function, sequence[before], op, steps);
            break;
        }
    for (size_t i = 0; !placed && i < function->plan.wait_count; i++)
        if (function->plan.waits[i].op == op)
            follow(function, function->plan.waits[i].on, op, steps);
    for (size_t i = 0; placed && i < function->plan.edge_count; i++)
        if (function->plan.edges[i].to == op)
            follow(function, function->plan.edges[i].from, op, steps);
}

static size_t planned_steps(const struct kesco_report_function *function, const unsigned *sequence,
                            size_t *steps) {
    size_t all = 0, most = 0;
    for (size_t i = 0; i < function->op_count; i++) {
        if (i > 0 && function->ops[sequence[i]].region != function->ops[sequence[i - 1]].region) {
            all += most;
            most = 0;
        }
        place(function, sequence[i], sequence, i, steps);
        raise(&most, steps[sequence[i]]);
    }
    return all + most;
}

/* The steps after which an object was last read, and last written. */
struct touch {
    size_t read, written;
};

/* All objects by name, and what was touched of any. */
struct objects {
    json_t *index; /* by name: its place in touches */
    struct touch *touches;
    struct touch any; /* by ops that touch any object */
    struct touch all; /* by all ops */
};

/* The object of this name; NULL without memory. Has room in `touches` for all names. */
static struct touch *object_of(struct objects *objects, const char *name) {
    json_t *known = json_object_get(objects->index, name);
    size_t place = known ? (size_t)json_integer_value(known) : json_object_size(objects->index);
    if (!known && json_object_set_new_nocheck(objects->index, name, json_integer((json_int_t)place)))
        return NULL;
    return &objects->touches[place];
}

/* Raises `least`, the steps that must have been before an op that touches the objects. */
static int look(struct objects *objects, const char *const *names, size_t count, bool write, size_t *least) {
    for (size_t i = 0; i < count; i++) {
        bool any = strcmp(names[i], "*") == 0;
        const struct touch *touch = any ? &objects->all : object_of(objects, names[i]);
        if (!touch)
            return -ENOMEM;
        raise(least, touch->written);
        raise(least, objects->any.written);
        if (write) {
            raise(least, touch->read);
            raise(least, objects->any.read);
        }
    }
    return 0;
}

static void touch_one(struct touch *touch, bool write, size_t step) {
    raise(write ? &touch->written : &touch->read, step);
}

/* Notes that an op touches the objects in this step. */
static int note(struct objects *objects, const char *const *names, size_t count, bool write, size_t step) {
    for (size_t i = 0; i < count; i++) {
        bool any = strcmp(names[i], "*") == 0;
        struct touch *touch = any ? &objects->any : object_of(objects, names[i]);
        if (!touch)
            return -ENOMEM;
        touch_one(touch, write, step);
        touch_one(&objects->all, write, step);
    }
    return 0;
}

static size_t count_names(const struct kesco_report_function *function) {
    size_t count = 0;
    for (size_t i = 0; i < function->op_count; i++)
        count += function->ops[i].touched.read_count + function->ops[i].touched.write_count;
    return count;
}

static int free_steps(const struct kesco_report_function *function, size_t *steps) {
    struct objects objects = {.index = json_object(),
                              .touches = calloc(count_names(function) + 1, sizeof(*objects.touches))};
    int err = objects.index && objects.touches ? 0 : -ENOMEM;
    *steps = 0;
    for (size_t i = 0; i < function->op_count && !err; i++) {
        const struct kesco_report_op *op = &function->ops[i];
        size_t before = 0;
        err = look(&objects, op->touched.reads, op->touched.read_count, false, &before);
        if (!err)
            err = look(&objects, op->touched.writes, op->touched.write_count, true, &before);
        if (!err)
            err = note(&objects, op->touched.reads, op->touched.read_count, false, before + 1);
        if (!err)
            err = note(&objects, op->touched.writes, op->touched.write_count, true, before + 1);
        raise(steps, before + 1);
    }
    json_decref(objects.index);
    free(objects.touches);
    return err;
}

int kesco_gain_of(const struct kesco_report_function *function, struct kesco_gain *gain) {
    unsigned *sequence = kesco_issue_sequence(function);
    size_t *steps = calloc(function->op_count + 1, sizeof(*steps));
    int err = sequence && steps ? free_steps(function, &gain->free) : -ENOMEM;
    gain->serial = function->op_count;
    if (!err)
        gain->planned = planned_steps(function, sequence, steps);
    if (!err &&
        (gain->free > gain->planned || (function->stops.serial && function->stops.barrier_count == 0)))
        gain->free = gain->planned;
    free(sequence);
    free(steps);
    return err;
}
