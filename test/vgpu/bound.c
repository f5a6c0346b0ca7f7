#include "test/vgpu/bound.h"

#include "test/vgpu/settings.h"
#include "test/vgpu/storage.h"

#include <math.h>
#include <string.h>

/* Guarded by the engine's lock. */
static struct {
    double *path_us; /* by job's id */
    size_t capacity;
    double busy_us[DEVICE_LIMIT][BOUND_PARTS];
} bound;

static double *path_of(uint64_t id) {
    while (id >= bound.capacity) {
        const size_t before = bound.capacity;
        bound.capacity = before ? 2 * before : 1024;
        bound.path_us = resize(bound.path_us, bound.capacity * sizeof(double));
        memset(bound.path_us + before, 0, (bound.capacity - before) * sizeof(double));
    }
    return &bound.path_us[id];
}

void bound_add(const struct clock_job *job) {
    double *busy_us = bound.busy_us[job->machine];
    double path_us = 0;
    for (size_t i = 0; i < job->after_count; i++)
        path_us = fmax(path_us, *path_of(job->after[i]));
    *path_of(job->id) = path_us + job->alone_us;
    for (int r = 0; r < CLOCK_RESOURCES; r++)
        busy_us[r] += job->uses[r] * job->alone_us;
    if (job->engine < CLOCK_GRIDS)
        busy_us[CLOCK_RESOURCES + job->engine] += job->alone_us;
}

struct tally bound_tally(const struct clock_job *job) {
    struct tally tally = {.path_us = *path_of(job->id)};
    memcpy(tally.busy_us, bound.busy_us[job->machine], sizeof(tally.busy_us));
    return tally;
}

double bound_between(const struct tally *from, const struct tally *to) {
    double us = to->path_us - from->path_us;
    for (int part = 0; part < BOUND_PARTS; part++)
        us = fmax(us, to->busy_us[part] - from->busy_us[part]);
    return fmax(us, 0);
}
