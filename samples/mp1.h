/*
 * All of the sample mp1 but for how its tasks run (mp1.cu; by_hand/mp1.cu and graph/mp1.cu by hand): the
 * KeSCo paper's first mix of tasks, the samples img, vec twice, and hits, of priorities that fall in that
 * order.
 *
 *   mp1 [--scale S] [--repeat N] [--times FILE] [--check]    (samples/bench.h)
 *
 * The scale is that of each task; to begin anew belongs to the timed part of hits. With TASKS_ARE_GRAPHS,
 * tasks are those of samples/graph. Exit status: 0 all tasks are done, 1 they are not, or the check failed.
 */
#ifndef KESCO_SAMPLES_MP1_H
#define KESCO_SAMPLES_MP1_H

#define BENCH_PARTS

#include "samples/bench.h"
#include "samples/edge_list.h"
#include "samples/picture.h"
#include "samples/reduction.h"
#include "samples/streams.h"

#include <math.h>

#define TASK_PRIORITY 3
#include "samples/task_begin.h"
namespace img {
#ifdef TASKS_ARE_GRAPHS
#include "samples/graph/img.cu"
#else
#include "samples/img.cu"
#endif
} // namespace img
#include "samples/task_end.h"

#define TASK_PRIORITY 2
#include "samples/task_begin.h"
namespace vec {
#ifdef TASKS_ARE_GRAPHS
#include "samples/graph/vec.cu"
#else
#include "samples/vec.cu"
#endif
} // namespace vec
#include "samples/task_end.h"

#define TASK_PRIORITY 1
#include "samples/task_begin.h"
namespace hits {
#ifdef TASKS_ARE_GRAPHS
#include "samples/graph/hits.cu"
#else
#include "samples/hits.cu"
#endif
} // namespace hits
#include "samples/task_end.h"

/* The tasks, with all that they hold. */
struct mp1_data {
    struct img::img_task img;
    struct vec::vec_task vec1, vec2;
    struct hits::hits_task hits;
};

struct mp1_task {
    struct mp1_data data;
};

BENCH_PROGRAM_RUN(mp1_data);

static void create_task(struct mp1_task *task, const struct bench *bench) {
    img::create_task(&task->data.img, bench);
    vec::create_task(&task->data.vec1, bench);
    vec::create_task(&task->data.vec2, bench);
    hits::create_task(&task->data.hits, bench);
}

static int show_task(const struct mp1_task *task, const struct bench *bench) {
    return img::show_task(&task->data.img, bench) || vec::show_task(&task->data.vec1, bench) ||
           vec::show_task(&task->data.vec2, bench) || hits::show_task(&task->data.hits, bench);
}

static void destroy_task(struct mp1_task *task) {
    hits::destroy_task(&task->data.hits);
    vec::destroy_task(&task->data.vec2);
    vec::destroy_task(&task->data.vec1);
    img::destroy_task(&task->data.img);
}

BENCH_PROGRAM_MAIN("mp1", mp1_task, mp1_data);

#endif
