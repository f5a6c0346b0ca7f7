/*
 * The generator of random CUDA programs: a struct and the statements that it can write.
 *
 * A program is KeSCo's input, run serially to see what it should do. So it has no race and no undefined
 * behaviour, whichever of its statements are left out, and what it prints is the same under every order that
 * CUDA allows.
 */
#ifndef KESCO_TEST_FUZZ_GENERATOR_H
#define KESCO_TEST_FUZZ_GENERATOR_H

#include "test/fuzz/random.h"
#include "test/fuzz/scope.h"
#include "test/fuzz/writer.h"

enum { MOST_KINDS = 96, MOST_KERNELS = 96, MOST_HELPERS = 2, MOST_LAUNCHERS = 6 };

/* A function that launches and is called in many ways; see launcher.c. */
struct launcher {
    unsigned shape; /* how it takes its pointers */
    unsigned work;  /* launches of one call, at most */
    bool streamed;  /* it takes the stream that all goes to; else the default stream */
    bool may_throw;
    bool straight; /* as in the scope */
    bool quiet;
    bool captured;
};

/* What is chosen for the function that is being written. */
struct function_choices {
    unsigned weights[MOST_KINDS]; /* of the kinds of statements, by kind; 0 for none */
    bool kernels[MOST_KERNELS];   /* those that it launches */
    unsigned tricks;              /* how often, in percent, a pointer is written in an unusual way */
};

/* What the program has. */
struct program_facts {
    bool resets;        /* it resets the device, and has no launch that fails */
    unsigned bare;      /* how often, in percent, a kernel goes without its annotations */
    bool hidden;        /* kernels may reach variables in ways that are hard to see */
    bool threads;       /* it may start threads */
    bool vectors;       /* it has std::vector */
    bool devices;       /* it uses two devices */
    bool per_thread;    /* it is compiled with -fgpu-default-stream=per-thread */
    bool asserts;       /* some of its kernels may trap, but do not */
    bool traps;         /* in the end, one does */
    bool several_units; /* all with the same kernels, of which there are few */
};

struct generator {
    struct random random;
    struct writer writer;
    struct scope scope; /* of the function that is being written */
    struct function_choices chosen;
    struct program_facts has;
    bool all_kernels[MOST_KERNELS]; /* those that the program has */
    unsigned helpers;               /* functions helper_0 to helper_N-1 that can be called */
    unsigned work[MOST_HELPERS];    /* launches of one call of each, at most */
    struct launcher launchers[MOST_LAUNCHERS];
    unsigned launcher_count; /* functions call_0 to call_N-1 that can be called */
    int scenario;            /* that is being written; -1 for none */
};

/* A kind of statement. */
struct kind {
    void (*write)(struct generator *g);
    unsigned weight; /* how often beside the others, where the function has it at all */
    unsigned needs;  /* NEEDS_ */
};

enum {
    NEEDS_LOOP = 1,     /* stands in a loop */
    NEEDS_WAY_OUT = 2,  /* not where the scope is straight */
    NEEDS_SCENARIO = 4, /* the function has streams of its own */
    NEEDS_NO_RESET = 8, /* not where the program resets the device */
    NEEDS_DEFAULT = 16, /* touches the default stream */
    NEEDS_LOUD = 32,    /* prints, or touches what threads share */
    NEEDS_LIVE = 64,    /* not under capture */
    NEEDS_CATCH = 128,  /* throws */
    NEEDS_NO_FORK = 256
};

/* No statement leads to more launches than this in one run of its function. */
enum { MOST_WORK = 3000 };

/* program.c */
void write_program(struct generator *g, unsigned scenarios);

/* prelude.c: what comes before the program's own functions, kernels included. */
void write_prelude(struct generator *g);

/* The two parts of it: the second may stand in a namespace. */
void write_includes(struct generator *g);
void write_definitions(struct generator *g);

/* statement.c: statements of any kind, numbered; `write_launches` only launches on the default stream. */
void write_statements(struct generator *g, unsigned count);
void write_block(struct generator *g, unsigned most);
void write_launches(struct generator *g, unsigned count);
void choose_kinds(struct generator *g);

/* expression.c: a pointer that may be passed to a kernel or a function, with the buffers among which it
 * points; NULL where none is allowed. `allocation`: only a buffer's own name. */
const struct pointer *choose_pointer(struct generator *g, uint32_t within);
const struct pointer *choose_variable(struct generator *g);
int choose_buffer(struct generator *g, uint32_t within, bool on_host);
const char *pointer_argument(struct generator *g, uint32_t within);
const char *pointer_value(struct generator *g, uint32_t within);
const char *number(struct generator *g);
const char *variable(struct generator *g);
const char *changing_number(struct generator *g);

/* kernel.c */
void choose_program_kernels(struct generator *g);
void write_kernels(struct generator *g);
void choose_kernels(struct generator *g);
void write_launch_on(struct generator *g, const char *stream, uint32_t within);
void write_default_launch(struct generator *g);

/* The kinds of statements, by file. */
extern const struct kind host_kinds[], control_kinds[], memory_kinds[], pipeline_kinds[], stream_kinds[],
    sync_kinds[], transfer_kinds[], wait_kinds[], launcher_kinds[];
extern const unsigned host_kind_count, control_kind_count, memory_kind_count, pipeline_kind_count,
    stream_kind_count, sync_kind_count, transfer_kind_count, wait_kind_count, launcher_kind_count;

/* stream.c: the stream that the function's work goes to, as an argument; the configuration of a launch of one
 * thread there. */
const char *stream_argument(const struct generator *g);

/* A stream whose work is ordered with all that the function does. */
const char *any_stream(struct generator *g);
const char *configuration(struct generator *g);

/* True if the stream `blocking` may be used, in any order with the default stream. */
bool has_blocking(const struct generator *g);

/* Statements that touch no buffer of `part`, and run through, beside what works elsewhere. */
void write_beside(struct generator *g, uint32_t part);

/* transfer.c: a call of CUDA as a statement, which ignores, checks or uses what it returns; it must succeed.
 * A copy or a memset of any form. */
void write_api_call(struct generator *g, const char *call);
void write_transfer(struct generator *g);

/* wait.c: behind this, all is done that the function's stream did, and the default stream where that may be
 * used. It may declare variables. */
void write_wait(struct generator *g);

/* launcher.c */
void write_launchers(struct generator *g);

/* trap.c: a statement of a kernel that could trap, but does not. The function in which one does, and which
 * ends the program, with status 7. */
const char *harmless_trap(struct generator *g);
void write_trapping_function(struct generator *g);

/* program.c: for a function's scope. Launches need but values; other statements need more numbers. */
void begin_scope(struct generator *g);
void add_pointer(struct generator *g, const char *name, uint32_t may, bool is_variable);
void add_buffer(struct generator *g, const char *name, enum memory memory);
void add_buffers(struct generator *g, unsigned count);
void write_buffers(struct generator *g);
void write_pointers(struct generator *g);
void write_values(struct generator *g);
void write_numbers(struct generator *g);
void write_ways_out(struct generator *g, bool show);
void write_end(struct generator *g);

/* memory.c */
void write_allocation(struct generator *g, unsigned buffer);
void write_contents(struct generator *g, unsigned buffer);
void write_free(struct generator *g, unsigned buffer);

#endif
