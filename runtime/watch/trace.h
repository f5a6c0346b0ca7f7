/*
 * KESCO_TRACE: what ran when, on which lane, and what waited for what (trace_file.h). While a region is
 * traced, it is what it would be otherwise: times come from marks that are put around each op on its own lane
 * (device_clock.h), or from CUPTI (activity.h), and are read when the program ends. The program sees nothing
 * of that: CUDA's last error stays as it is, and an op that cannot be timed is counted and left out.
 *
 * Each host thread has a trace of its own; it outlives the thread.
 */
#ifndef KESCO_RUNTIME_WATCH_TRACE_H
#define KESCO_RUNTIME_WATCH_TRACE_H

#include "runtime/kesco_abi.h"
#include "runtime/watch/device_clock.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* A row: what runs one after another. */
struct kesco_trace_row {
    struct kesco_trace_row *next; /* in the thread's list */
    uint64_t id;                  /* of all rows of the process, from 1 */
    int device;
    uint32_t lane;       /* or KESCO_TRACE_HOST: the row has regions; KESCO_TRACE_ORIGIN: ops on an origin;
                          * KESCO_TRACE_OTHERS: what is no op of a region's */
    uint32_t number;     /* of the stream, in a row of others */
    uint32_t twins;      /* rows of the same thread, device, and lane that came before */
    cudaStream_t stream; /* that the ops are on */
    double end;          /* of its last slice that was printed, in microseconds */
};
#define KESCO_TRACE_HOST UINT32_MAX
#define KESCO_TRACE_ORIGIN (UINT32_MAX - 1)
#define KESCO_TRACE_OTHERS (UINT32_MAX - 2)

/* A point of time of a slice. */
struct kesco_slice_end {
    struct kesco_mark mark; /* until its time is read */
    double time;            /* in microseconds; if the slice is timed */
};

/* What a slice has that is a region. */
struct kesco_slice_region {
    uint32_t lanes;
    bool captured;      /* its ops cannot be timed */
    const char *serial; /* why it ran serially, or did so in the end; NULL: it did not */
};

/* What took some time: an op, or a region. */
struct kesco_slice {
    struct kesco_slice *next;   /* in the thread's list, in the order in which they began */
    struct kesco_slice *unread; /* the next one whose times are not read */
    struct kesco_trace_row *row;
    const struct kesco_site *site;    /* of an op; of a region: its function, and the place of its first op */
    const struct kesco_slice *region; /* that the op is of; NULL: this is a region, or none's */
    uint64_t id;                      /* of all slices of the process, from 1 */
    struct kesco_slice_end begin, end;
    bool timed;
    bool printed; /* is in the file */
    struct kesco_slice_region about;
};

/* `to` waited for `from`. */
struct kesco_trace_wait {
    const struct kesco_slice *from, *to;
    uint32_t lane; /* that waits, while its next op is not known */
};

struct kesco_trace_waits {
    struct kesco_trace_wait *items; /* those that have found their op, then those that have not */
    size_t count, found, capacity;
};

struct kesco_trace_slices {
    struct kesco_slice *first, *last;
};

/* The region of a thread that is open. */
struct kesco_trace_open {
    struct kesco_slice *region; /* NULL: it is not traced */
    struct kesco_slice *op;     /* whose end is still to be marked; NULL: there is none */
    int device;
    cudaStream_t origin;
    struct kesco_slice *latest[KESCO_LANES_MOST + 1]; /* by lane, the origin last: its last op */
    struct kesco_slice **recorded;                    /* by event: the op that its last record is of */
    uint32_t events, events_most;                     /* events that there are; that there is memory for */
};

/* All of one host thread. */
struct kesco_trace {
    struct kesco_trace *next; /* in the list of all */
    pthread_mutex_t lock;     /* guards the rest: the process may end while the thread goes on */
    uint32_t thread;          /* which one, from 1 */
    struct kesco_trace_row *rows;
    struct kesco_trace_slices slices;
    struct kesco_trace_slices unread; /* in the order in which they ended, through their `unread` */
    uint32_t unread_count;
    struct kesco_trace_waits waits;
    uint64_t refused; /* ops and regions for which there was no memory, or after an error of the program */
    struct kesco_trace_open open;
};

/*
 * The calling thread's region has opened on `origin`, as `region`; `serial` says why it runs serially, and is
 * not copied; NULL: it is concurrent. False: nobody asks for a trace, or there is no memory for it, or an
 * error is pending; then no other function is called before the next opening.
 */
bool kesco_trace_open(cudaStream_t origin, const struct kesco_region *region, const char *serial);

/* From here on it runs serially. */
void kesco_trace_collapse(const char *why);

/* The op of `site`, which may be NULL, is next on `stream`, which is that of `lane` or the origin. */
void kesco_trace_begin(uint32_t lane, cudaStream_t stream, const struct kesco_site *site);

/* The op begun last comes after more than it did when it was begun. */
void kesco_trace_begin_again(void);

/* The op begun last, if any, is on its stream now, or has failed. */
void kesco_trace_end(void);

/* The plan's record of `event` after what `lane` has, and the wait of `lane` for it. */
void kesco_trace_record(uint32_t event, uint32_t lane);
void kesco_trace_wait(uint32_t event, uint32_t lane);

/* The region has closed. */
void kesco_trace_close(void);

/* Reads all times and writes the file `path`. Nothing is traced any more. */
void kesco_trace_write(const char *path);

#endif
