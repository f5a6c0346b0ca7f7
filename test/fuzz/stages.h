/*
 * A program of several stages and units: functions that main calls one after another, each with work for some
 * streams.
 *
 * A program is made in three steps:
 *   1. stages.c chooses what its functions do, step by step.
 *   2. stages_order.c goes through the program as the host does, and finds what nothing orders: two ops, or
 * an op and the host, that touch one buffer. It puts a wait between them, in one of the functions that lie on
 * the way; most often not where the op stands, but where its function begins. It begins again until all is
 * ordered.
 *   3. stages_text.c and stages_step.c write it, a file for each unit, and how each is built.
 * So each wait that step 2 puts in is one that the program needs.
 *
 * Most functions aim at something: a wait is put off, or left out, only where much comes together, and few
 * steps chosen at random ever do.
 */
#ifndef KESCO_TEST_FUZZ_STAGES_H
#define KESCO_TEST_FUZZ_STAGES_H

#include "test/fuzz/build.h"
#include "test/fuzz/generator.h"

enum {
    MOST_STAGES = 8, /* functions: main, callbacks, stages */
    MOST_STEPS = 160,
    OWN_STREAMS = 3,
    PARAMETERS = 3, /* pointers that a stage is given */
    ALL_BUFFERS = 8,
    MOST_EVENTS = 6
};

/* The program's memory. Stages are given some of the first five, and name the others. */
enum { BUFFER_D0, BUFFER_D1, BUFFER_D2, BUFFER_M0, BUFFER_M1, BUFFER_E0, BUFFER_E1, BUFFER_E2 };

enum stage_stream {
    STREAM_LEGACY,
    STREAM_PER_THREAD,
    STREAM_OWN, /* from here on, one for each of q0, q1, q2 */
    STREAM_GIVEN = STREAM_OWN + OWN_STREAMS
};

enum step_kind {
    STEP_LAUNCH,      /* one op on `stream`: a launch, copy or memset of `buffers` */
    STEP_STATEMENTS,  /* statements of any kind that work on `stream`, and touch `buffers` there */
    STEP_READ,        /* the host reads `buffers` */
    STEP_WRITE,       /* and writes */
    STEP_SHOW,        /* a copy on the default stream, of `buffers`, that the host waits for, and prints */
    STEP_SYNC_DEVICE, /* waits */
    STEP_SYNC_STREAM,
    STEP_SYNC_COPY, /* by a copy on the default stream */
    STEP_SYNC_EVENT,
    STEP_RECORD,     /* event `number`, on `stream` */
    STEP_WAIT_EVENT, /* `stream` waits for event `number` */
    STEP_LOOP,       /* what stands up to the next STEP_END runs `number` times */
    STEP_END,
    STEP_CALL,    /* `calls[0]` */
    STEP_LIBRARY, /* a library function that calls function `number` */
    STEP_RECURSE, /* the function itself, by `calls[0]`, until its depth is 0 */
    STEP_THREADS, /* threads that run `calls`, and are joined */
    STEP_PRINT    /* what other units print, too */
};

/* The call of a stage. */
struct stage_call {
    unsigned callee;
    enum stage_stream stream;
    unsigned buffers[PARAMETERS]; /* among those of the caller, by bit */
};

struct step {
    enum step_kind kind;
    enum stage_stream stream;
    uint32_t buffers; /* of the function, by bit */
    unsigned number;
    struct stage_call calls[2];
    unsigned call_count; /* 2 for threads that run at once */
    bool early;          /* the first of two threads is joined before the second begins */
};

/* How a function is called. */
enum stage_form {
    FORM_MAIN,
    FORM_PLAIN,
    FORM_POINTER,
    FORM_VIRTUAL,
    FORM_STREAM_BUFFER, /* from here on, by the library; its buffers are all of the program's */
    FORM_FILE,
    FORM_COMPARATOR,
    FORM_NEW,
    FORM_DELETER,
    FORM_AT_EXIT
};

/* What a function is to make KeSCo do. */
enum stage_aim {
    AIM_ANY,
    AIM_WAITS,   /* to put off waits: launches, behind each piece of work a wait, and nothing that sees it */
    AIM_REGIONS, /* to have a region with several lanes open while a library calls back */
    AIM_CALLS /* to have a region go through calls: it launches once or twice, and its callers call many such
               */
};

struct stage {
    enum stage_form form;
    unsigned unit;
    bool streamed;  /* is given a stream */
    bool quiet;     /* may run in two threads at once: prints nothing, calls no library */
    bool recursive; /* calls itself */
    bool restricted;
    bool pointers; /* has pointer variables of its own */
    enum stage_aim aim;
    enum stage_stream
        streams[2]; /* if that is not AIM_ANY, all its work is for these; they may be the same */
    struct step steps[MOST_STEPS];
    unsigned step_count;
};

struct stages {
    struct stage stages[MOST_STAGES]; /* the first one is main */
    unsigned stage_count;
    struct build build;
    bool non_blocking[OWN_STREAMS];
    enum stage_stream favourite; /* one of the own ones, or in small programs the default, */
    unsigned favour;             /* to which so much of the work goes, in percent */
    unsigned event_count;
    bool shared; /* functions may be given one buffer twice, or one that they use by its name */
    bool traps;  /* in the end, a kernel does */
    bool small;  /* most functions have AIM_CALLS */
};

/* stages.c: true for a function that a library calls. */
bool is_callback(const struct stage *stage);

/* What step 1 does; *program is empty. */
void choose_stages(struct generator *g, struct stages *program);

/* stages_order.c: step 2. False if the program is too large. */
bool order_stages(struct random *random, struct stages *program);

/* Puts a step into a function, behind the first `at`. False if there is no room. */
bool insert_step(struct stage *stage, unsigned at, const struct step *step);

/*
 * stages_text.c: step 3: the files unit_N.cu, stages.h and build of `folder`; or nowhere, if that is NULL.
 * Returns false, with errno set, where a file cannot be written.
 *
 * The lines of `build` are "link KIND", with KIND objects, archive, shared, full or thin, and for each unit
 * "unit NAME kesco|plain LEVEL [FLAG]".
 */
bool write_stages(struct generator *g, const struct stages *program, const char *folder);

#endif
