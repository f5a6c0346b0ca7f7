/*
 * All of the sample mp2 but for how its tasks run (mp2.cu; by_hand/mp2.cu and graph/mp2.cu by hand): the
 * KeSCo paper's second mix of tasks, the samples ml, dl and bs, of priorities that fall in that order.
 *
 *   mp2 [--scale S] [--repeat N] [--times FILE] [--check]    (samples/bench.h)
 *
 * The scale is that of each task. With TASKS_ARE_GRAPHS, tasks are those of samples/graph. Exit status: 0 all
 * tasks are done, 1 they are not, or the check failed.
 */
#ifndef KESCO_SAMPLES_MP2_H
#define KESCO_SAMPLES_MP2_H

#define BENCH_PARTS

#include "samples/bench.h"
#include "samples/reduction.h"
#include "samples/streams.h"

#include <math.h>

#define TASK_PRIORITY 3
#include "samples/task_begin.h"
namespace ml {
#ifdef TASKS_ARE_GRAPHS
#include "samples/graph/ml.cu"
#else
#include "samples/ml.cu"
#endif
} // namespace ml
#include "samples/task_end.h"

#define TASK_PRIORITY 2
#include "samples/task_begin.h"
namespace dl {
#ifdef TASKS_ARE_GRAPHS
#include "samples/graph/dl.cu"
#else
#include "samples/dl.cu"
#endif
} // namespace dl
#include "samples/task_end.h"

#define TASK_PRIORITY 1
#include "samples/task_begin.h"
namespace bs {
#ifdef TASKS_ARE_GRAPHS
#include "samples/graph/bs.cu"
#else
#include "samples/bs.cu"
#endif
} // namespace bs
#include "samples/task_end.h"

/* The tasks, with all that they hold. */
struct mp2_data {
    struct ml::ml_task ml;
    struct dl::dl_task dl;
    struct bs::bs_task bs;
};

struct mp2_task {
    struct mp2_data data;
};

BENCH_PROGRAM_RUN(mp2_data);

static void create_task(struct mp2_task *task, const struct bench *bench) {
    ml::create_task(&task->data.ml, bench);
    dl::create_task(&task->data.dl, bench);
    bs::create_task(&task->data.bs, bench);
}

static int show_task(const struct mp2_task *task, const struct bench *bench) {
    return ml::show_task(&task->data.ml, bench) || dl::show_task(&task->data.dl, bench) ||
           bs::show_task(&task->data.bs, bench);
}

static void destroy_task(struct mp2_task *task) {
    bs::destroy_task(&task->data.bs);
    dl::destroy_task(&task->data.dl);
    ml::destroy_task(&task->data.ml);
}

BENCH_PROGRAM_MAIN("mp2", mp2_task, mp2_data);

#endif
