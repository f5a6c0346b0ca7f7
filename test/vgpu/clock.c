#include "test/vgpu/clock.h"

#include "test/vgpu/storage.h"

#include <math.h>
#include <stdlib.h>

enum { TABLE = 4096 }; /* buckets of live jobs by id */

/* When a job runs, and how fast. */
struct job_times {
    double ready_us; /* when it is ready, as far as is known */
    double began_us; /* when it left its engine's queue */
    double left_us;  /* of its time at full speed */
    double speed;    /* while it runs; 1: full */
    bool settled;    /* share_out: its speed stands */
};

/* What a job comes before and after. */
struct job_order {
    size_t blockers;    /* live jobs that it comes after */
    struct job **later; /* jobs that come after it; owned */
    size_t later_count, later_capacity;
};

struct job {
    uint64_t id;
    int machine;
    enum clock_engine engine;
    double uses[CLOCK_RESOURCES]; /* share of each resource at full speed */
    int priority;                 /* lower numbers go first */
    struct job_times times;
    struct job_order order;
    void *owner;
    struct job *next;        /* in the one list that it is in: ready, queued or running */
    struct job *next_bucket; /* in the table */
};

/* Jobs in order. */
struct queue {
    struct job *first, *last;
};

struct engine {
    int width, running;  /* jobs at once: at most, now */
    struct queue queued; /* ready jobs that wait for it */
};

struct machine {
    struct engine engines[CLOCK_ENGINES];
    struct job *running; /* in no order that matters */
    bool changed;        /* `running` is not as it was when it was shared out */
    size_t live;         /* jobs that were added and have not ended */
};

struct clock {
    double now;
    struct job *ready;        /* unblocked jobs that have not begun or queued, by time, then id */
    struct job *table[TABLE]; /* live jobs, by id */
    struct machine *machines;
    int machine_count;
    clock_ended *ended; /* or NULL */
};

struct clock *clock_new(int machines, const int engine_widths[CLOCK_ENGINES], clock_ended *ended) {
    struct clock *clock = allocate(1, sizeof(*clock));
    clock->machines = allocate((size_t)machines, sizeof(*clock->machines));
    clock->machine_count = machines;
    clock->ended = ended;
    for (int machine = 0; machine < machines; machine++) {
        for (int engine = 0; engine < CLOCK_ENGINES; engine++)
            clock->machines[machine].engines[engine].width = engine_widths[engine];
    }
    return clock;
}

static void free_job(struct job *job) {
    free(job->order.later);
    free(job);
}

void clock_free(struct clock *clock) {
    if (!clock)
        return;
    for (size_t bucket = 0; bucket < TABLE; bucket++) {
        for (struct job *job = clock->table[bucket], *next; job; job = next) {
            next = job->next_bucket;
            free_job(job);
        }
    }
    free(clock->machines);
    free(clock);
}

double clock_now(const struct clock *clock) {
    return clock->now;
}

static struct job *find(const struct clock *clock, uint64_t id) {
    struct job *job = clock->table[id % TABLE];
    while (job && job->id != id)
        job = job->next_bucket;
    return job;
}

bool clock_is_live(const struct clock *clock, uint64_t id) {
    return find(clock, id) != NULL;
}

static void remove_from_table(struct clock *clock, const struct job *job) {
    struct job **link = &clock->table[job->id % TABLE];
    while (*link != job)
        link = &(*link)->next_bucket;
    *link = job->next_bucket;
}

/* Adding */

static bool is_before(const struct job *a, const struct job *b) {
    return a->times.ready_us < b->times.ready_us || (a->times.ready_us <= b->times.ready_us && a->id < b->id);
}

static void make_ready(struct clock *clock, struct job *job) {
    struct job **link = &clock->ready;
    if (job->times.ready_us < clock->now)
        job->times.ready_us = clock->now;
    while (*link && is_before(*link, job))
        link = &(*link)->next;
    job->next = *link;
    *link = job;
}

static void add_later(struct job *earlier, struct job *job) {
    earlier->order.later = with_room(earlier->order.later, earlier->order.later_count,
                                     &earlier->order.later_capacity, sizeof(struct job *));
    earlier->order.later[earlier->order.later_count++] = job;
    job->order.blockers++;
}

void clock_add(struct clock *clock, const struct clock_job *from) {
    struct job *job = allocate(1, sizeof(*job));
    job->id = from->id;
    job->machine = from->machine;
    job->engine = from->engine;
    job->times.ready_us = from->ready_us;
    job->times.left_us = from->alone_us;
    job->priority = from->priority;
    job->owner = from->owner;
    for (int r = 0; r < CLOCK_RESOURCES; r++)
        job->uses[r] = from->uses[r];
    for (size_t i = 0; i < from->after_count; i++) {
        struct job *earlier = find(clock, from->after[i]);
        if (earlier)
            add_later(earlier, job);
    }
    job->next_bucket = clock->table[job->id % TABLE];
    clock->table[job->id % TABLE] = job;
    clock->machines[job->machine].live++;
    if (!job->order.blockers)
        make_ready(clock, job);
}

/* Sharing */

/* The share of the resource that the job uses most, at full speed. */
static double dominant(const struct job *job) {
    double most = 0;
    for (int r = 0; r < CLOCK_RESOURCES; r++)
        most = fmax(most, job->uses[r]);
    return most;
}

/* The speed of a job whose largest share is to be `level`. */
static double speed_at(const struct job *job, double level) {
    const double most = dominant(job);
    return most <= level ? 1 : level / most;
}

/* True if the job is still to be given its speed, and it is the turn of its priority. */
static bool is_open(const struct job *job, int priority) {
    return !job->times.settled && job->priority == priority;
}

/*
 * The level up to which the shares of open jobs can rise together before a resource is used up, or
 * INFINITY. Use of a resource grows with the level in straight pieces, one for each job that reaches full
 * speed, so the lowest such piece that does not fit is where it is used up.
 */
static double highest_level(const struct job *running, int priority, int r) {
    double level = 0, used = 0;
    for (const struct job *job = running; job; job = job->next)
        used += job->times.settled ? job->uses[r] * job->times.speed : 0;
    for (;;) {
        double slope = 0, next = INFINITY;
        for (const struct job *job = running; job; job = job->next) {
            const double most = dominant(job);
            if (!is_open(job, priority) || most <= level)
                continue;
            slope += job->uses[r] / most;
            next = fmin(next, most);
        }
        if (slope > 0 && used + slope * (next - level) > 1)
            return level + fmax(0, 1 - used) / slope;
        if (isinf(next))
            return INFINITY;
        used += slope * (next - level);
        level = next;
    }
}

/* Settles the open jobs that use the resource, or all for which there is enough. Returns if some are left. */
static bool settle(struct job *running, int priority, int r, double level) {
    bool left = false;
    for (struct job *job = running; job; job = job->next) {
        if (!is_open(job, priority))
            continue;
        job->times.settled = isinf(level) || job->uses[r] > 0;
        job->times.speed = speed_at(job, level);
        left |= !job->times.settled;
    }
    return left;
}

/* Gives the jobs of a priority their speeds, from what higher ones leave. */
static void share_among(struct job *running, int priority) {
    bool left = true;
    while (left) {
        double level = INFINITY;
        int scarcest = 0;
        for (int r = 0; r < CLOCK_RESOURCES; r++) {
            const double highest = highest_level(running, priority, r);
            if (highest < level) {
                level = highest;
                scarcest = r;
            }
        }
        left = settle(running, priority, scarcest, level);
    }
}

/* The unsettled job of the highest priority, or NULL. */
static const struct job *find_first(const struct job *running) {
    const struct job *first = NULL;
    for (const struct job *job = running; job; job = job->next) {
        if (!job->times.settled && (!first || job->priority < first->priority))
            first = job;
    }
    return first;
}

/* Gives the running jobs of a machine their speeds. */
static void share_out(struct machine *machine) {
    const struct job *first;
    if (!machine->changed)
        return;
    machine->changed = false;
    for (struct job *job = machine->running; job; job = job->next)
        job->times.settled = false;
    while ((first = find_first(machine->running)))
        share_among(machine->running, first->priority);
}

/* Running */

static void begin(struct machine *machine, struct job *job, double now) {
    job->times.began_us = now;
    if (job->engine != CLOCK_NO_ENGINE)
        machine->engines[job->engine].running++;
    job->next = machine->running;
    machine->running = job;
    machine->changed = true;
}

/* A job whose time has come begins, or queues for its engine. */
static void admit(struct machine *machine, struct job *job, double now) {
    struct engine *engine = job->engine == CLOCK_NO_ENGINE ? NULL : &machine->engines[job->engine];
    if (!engine || engine->running < engine->width) {
        begin(machine, job, now);
        return;
    }
    job->next = NULL;
    if (engine->queued.first)
        engine->queued.last->next = job;
    else
        engine->queued.first = job;
    engine->queued.last = job;
}

static void leave_engine(struct machine *machine, struct engine *engine, double now) {
    struct job *job = engine->queued.first;
    engine->running--;
    if (!job)
        return;
    engine->queued.first = job->next;
    begin(machine, job, now);
}

/* Ends a job that is in no list any more. */
static void end(struct clock *clock, struct job *job) {
    struct machine *machine = &clock->machines[job->machine];
    for (size_t i = 0; i < job->order.later_count; i++) {
        if (--job->order.later[i]->order.blockers == 0)
            make_ready(clock, job->order.later[i]);
    }
    if (job->engine != CLOCK_NO_ENGINE)
        leave_engine(machine, &machine->engines[job->engine], clock->now);
    machine->live--;
    if (clock->ended)
        clock->ended(job->owner, job->times.began_us, clock->now);
    remove_from_table(clock, job);
    free_job(job);
}

/* Takes the running jobs that have nothing left from their list, ordered by id. */
static struct job *take_finished(struct machine *machine) {
    struct job *finished = NULL;
    for (struct job **link = &machine->running; *link;) {
        struct job *job = *link, **place = &finished;
        if (job->times.left_us > 0) {
            link = &job->next;
            continue;
        }
        *link = job->next;
        machine->changed = true;
        while (*place && (*place)->id < job->id)
            place = &(*place)->next;
        job->next = *place;
        *place = job;
    }
    return finished;
}

/* Ends what has nothing left, on all machines. Returns whether something ended. */
static bool end_finished(struct clock *clock) {
    bool ended = false;
    for (int i = 0; i < clock->machine_count; i++) {
        for (struct job *job = take_finished(&clock->machines[i]), *next; job; job = next) {
            next = job->next;
            end(clock, job);
            ended = true;
        }
    }
    return ended;
}

static void admit_ready(struct clock *clock) {
    while (clock->ready && clock->ready->times.ready_us <= clock->now) {
        struct job *job = clock->ready;
        clock->ready = job->next;
        admit(&clock->machines[job->machine], job, clock->now);
    }
}

/* Lets everything happen that happens now. */
static void settle_now(struct clock *clock) {
    do
        admit_ready(clock);
    while (end_finished(clock));
    for (int i = 0; i < clock->machine_count; i++)
        share_out(&clock->machines[i]);
}

static double next_event(const struct clock *clock) {
    double next = clock->ready ? clock->ready->times.ready_us : INFINITY;
    for (int i = 0; i < clock->machine_count; i++) {
        for (const struct job *job = clock->machines[i].running; job; job = job->next)
            next = fmin(next, clock->now + job->times.left_us / job->times.speed);
    }
    return next;
}

/* A job that would end at the same time as the next event has ended, however the sum is rounded. */
static void pass(struct clock *clock, double us) {
    for (int i = 0; i < clock->machine_count; i++) {
        for (struct job *job = clock->machines[i].running; job; job = job->next) {
            const bool ends = clock->now + job->times.left_us / job->times.speed <= us;
            job->times.left_us = ends ? 0 : job->times.left_us - (us - clock->now) * job->times.speed;
        }
    }
    clock->now = us;
}

/* Goes on to the next event, or to `limit`, if that is earlier. Returns whether there was an event. */
static bool step(struct clock *clock, double limit) {
    const double next = next_event(clock);
    if (next > limit || isinf(next)) {
        if (limit > clock->now && !isinf(limit))
            pass(clock, limit);
        return false;
    }
    pass(clock, next);
    settle_now(clock);
    return true;
}

void clock_run_until(struct clock *clock, double us) {
    settle_now(clock);
    while (step(clock, us)) {
    }
}

void clock_run_job(struct clock *clock, uint64_t id) {
    settle_now(clock);
    while (clock_is_live(clock, id) && step(clock, INFINITY)) {
    }
}

void clock_run_machine(struct clock *clock, int machine) {
    settle_now(clock);
    while (clock->machines[machine].live && step(clock, INFINITY)) {
    }
}
