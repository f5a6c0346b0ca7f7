/* Loops over the chunks of a buffer: copy in, compute, copy out. */
#include "test/fuzz/end.h"

#include <stddef.h>

/* The memory that chunks travel through. `work` and `result` may be one. */
struct pipeline {
    struct end source, work, result, target;
    int refilled;       /* the source's buffer, which the host may fill anew; -1 for none */
    unsigned chunks;    /* of SOME bytes */
    const char *number; /* the variable that counts them */
    const char *round;  /* and their rounds */
};

/* A buffer with a name, or what a pointer leads to. */
static struct end choose_work(struct generator *g, uint32_t within) {
    int buffer = choose_buffer(g, within, false);
    const struct pointer *pointer = choose_pointer(g, within);
    struct end end = {0};

    if (buffer >= 0)
        return whole_end(g, (unsigned)buffer);
    if (pointer != NULL)
        end = (struct end){.address = pointer->name, .may = pointer->may, .room = 96, .on_device = true};
    return end;
}

/* Pinned and managed memory, or pageable. */
static struct end choose_host(struct generator *g, uint32_t within, int *buffer) {
    *buffer = random_percent(&g->random, 75) ? choose_buffer(g, within, true) : -1;
    if (*buffer >= 0)
        return whole_end(g, (unsigned)*buffer);
    return (struct end){.address = "page", .room = 128, .on_host = true};
}

static bool choose_pipeline(struct generator *g, struct pipeline *pipeline) {
    uint32_t left = g->scope.allowed;
    int target;

    pipeline->source = choose_host(g, left, &pipeline->refilled);
    left &= ~pipeline->source.may;
    pipeline->work = choose_work(g, left);
    left &= ~pipeline->work.may;
    pipeline->result = random_percent(&g->random, 60) ? choose_work(g, left) : pipeline->work;
    if (pipeline->result.address == NULL)
        pipeline->result = pipeline->work;
    left &= ~pipeline->result.may;
    pipeline->target = choose_host(g, left, &target);
    pipeline->chunks = pipeline->work.room == 128 && pipeline->result.room == 128 ? 4 : 3;
    pipeline->number = writer_text(&g->writer, "i%u", g->writer.next);
    pipeline->round = writer_text(&g->writer, "j%u", g->writer.next);
    return pipeline->work.address != NULL;
}

static struct end chunk_of(struct generator *g, struct end end, const char *number) {
    end.address = writer_text(&g->writer, "%s + %s * LENGTH", end.address, number);
    end.room = 32;
    return end;
}

/* One step of a chunk, which can be left out. */
static void write_step(struct generator *g, const struct end *to, const struct end *from,
                       const char *number) {
    struct end to_chunk = chunk_of(g, *to, number), from_chunk = chunk_of(g, *from, number);
    bool kept = writer_begin(&g->writer);

    write_copy(g, &to_chunk, &from_chunk, "SOME");
    writer_end(&g->writer, kept);
}

static void write_compute(struct generator *g, const struct pipeline *pipeline) {
    struct end work = chunk_of(g, pipeline->work, pipeline->number);
    struct end result = chunk_of(g, pipeline->result, pipeline->number);
    bool kept = writer_begin(&g->writer);

    if (pipeline->work.may == pipeline->result.may)
        writer_line(&g->writer, "k_scale<<<%s>>>(%s, %s);", configuration(g), work.address, number(g));
    else
        writer_line(&g->writer, "k_mix<<<%s>>>(%s, %s);", configuration(g), result.address, work.address);
    writer_end(&g->writer, kept);
}

static void write_chunk_loop(struct generator *g, const struct pipeline *pipeline) {
    unsigned times = g->scope.times;

    writer_line(&g->writer, "for (unsigned %s = 0; %s < %u; ++%s) {", pipeline->number, pipeline->number,
                pipeline->chunks, pipeline->number);
    g->scope.times *= 4;
    write_step(g, &pipeline->work, &pipeline->source, pipeline->number);
    write_compute(g, pipeline);
    write_step(g, &pipeline->target, &pipeline->result, pipeline->number);
    if (random_percent(&g->random, 30))
        write_launches(g, 1);
    g->scope.times = times;
    writer_line(&g->writer, "}");
}

/* The host fills the source of the next round, behind a wait if devices see it. */
static void write_refill(struct generator *g, const struct pipeline *pipeline) {
    const char *source = pipeline->source.address;

    writer_line(&g->writer, "{");
    if (pipeline->refilled >= 0)
        write_wait(g);
    writer_line(&g->writer, "for (unsigned i = 0; i < N; ++i) %s[i] = i * %s + v0;", source, pipeline->round);
    writer_line(&g->writer, "}");
}

static void write_pipeline(struct generator *g) {
    struct pipeline pipeline;
    unsigned rounds = 1 + random_below(&g->random, 3), times = g->scope.times;

    if (!choose_pipeline(g, &pipeline))
        return;
    writer_line(&g->writer, "for (unsigned %s = 0; %s < %u; ++%s) {", pipeline.round, pipeline.round, rounds,
                pipeline.round);
    g->scope.times *= rounds;
    if (random_percent(&g->random, 60))
        write_refill(g, &pipeline);
    write_chunk_loop(g, &pipeline);
    if (random_percent(&g->random, 30))
        write_launches(g, 1);
    g->scope.times = times;
    writer_line(&g->writer, "}");
    if (pipeline.target.may == 0)
        writer_line(&g->writer, "v1 = folded(%s, N);", pipeline.target.address);
}

/* Two buffers in turn: while one is computed on, the other is filled. */
static void write_ring(struct generator *g) {
    int one = choose_buffer(g, g->scope.allowed, false);
    int other = one < 0 ? -1 : choose_buffer(g, g->scope.allowed & ~(1u << one), false);
    const char *i = writer_text(&g->writer, "i%u", g->writer.next);
    struct end from, to,
        work = {.address = writer_text(&g->writer, "ring[%s %% 2]", i),
                .may = other < 0 ? 0 : 1u << one | 1u << other,
                .room = 32,
                .on_device = true};
    unsigned times = g->scope.times;
    int buffer;

    if (other < 0)
        return;
    from = chunk_of(g, choose_host(g, g->scope.allowed & ~work.may, &buffer), i);
    to = chunk_of(g, choose_host(g, g->scope.allowed & ~work.may & ~from.may, &buffer), i);
    writer_line(&g->writer, "{");
    writer_line(&g->writer, "unsigned *ring[2] = {%s, %s};", g->scope.buffers[one], g->scope.buffers[other]);
    writer_line(&g->writer, "for (unsigned %s = 0; %s < 4; ++%s) {", i, i, i);
    g->scope.times *= 4;
    write_copy(g, &work, &from, "SOME");
    writer_line(&g->writer, "k_scale<<<%s>>>(%s, %s);", configuration(g), work.address, number(g));
    write_copy(g, &to, &work, "SOME");
    g->scope.times = times;
    writer_line(&g->writer, "}");
    writer_line(&g->writer, "}");
}

const struct kind pipeline_kinds[] = {
    {write_pipeline, 4, NEEDS_LIVE},
    {write_ring, 2, NEEDS_LIVE},
};
const unsigned pipeline_kind_count = sizeof pipeline_kinds / sizeof *pipeline_kinds;
