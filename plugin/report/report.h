/*
 * The report of a compilation or of kesco-schedule: the one JSON form of plans. report.schema.json says what
 * each field means.
 *
 * Plain data in, JSON text out. The caller owns everything that these structs point at; kesco_report_write
 * only reads it.
 */
#ifndef KESCO_REPORT_REPORT_H
#define KESCO_REPORT_REPORT_H

#include "plugin/schedule/graph.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KESCO_REPORT_VERSION 1

/* Names of the objects that an op reads and writes. */
struct kesco_report_touched {
    const char *const *reads;
    size_t read_count;
    const char *const *writes;
    size_t write_count;
};

struct kesco_report_op {
    enum kesco_op_kind kind;
    const char *name;   /* kernel's name in the source */
    unsigned line;      /* source line in the function; 0 where unknown */
    const char *source; /* "FILE:LINE" of the op itself where a helper of the function has it, or NULL */
    unsigned region;    /* index of the op's region within the function */
    unsigned lane;      /* lane within the region */
    unsigned order;     /* place in the function's issue order */
    unsigned zone;      /* weakly connected component of the function's DFG */
    int priority;       /* as annotated; default 1 */
    struct kesco_report_touched touched;
};

struct kesco_report_edge {
    unsigned from; /* op id: index into ops */
    unsigned to;   /* op id */
    enum kesco_edge_kind kind;
    const char *object; /* name of the object that both ops touch */
};

/*
 * Waits are those that the lanes need to keep all dependences. Beside the legacy default stream, the stream
 * itself makes those that cross a cut (schedule/cut.h): they stand here, and cost no call.
 */
struct kesco_report_wait {
    unsigned op; /* op id whose lane waits before it */
    unsigned on; /* op id whose record is waited for */
};

struct kesco_report_guard {
    const char *a; /* the two pointers through which ops must not access the same bytes */
    const char *b;
};

/* That the program claims, and the plan relies on. */
struct kesco_report_claim {
    unsigned line; /* source line; 0 where unknown */
    const char *a; /* the two pointers that are claimed to be distinct */
    const char *b;
};

struct kesco_report_barrier {
    unsigned line;   /* source line; 0 where unknown */
    const char *why; /* one line for people */
};

/* A call before which the function lends its callee a region (regions go through calls). */
struct kesco_report_call {
    unsigned line;      /* source line; 0 where unknown */
    const char *callee; /* its name, demangled; "" for a call through a pointer */
};

/* What keeps the ops of a function in order, beside its lanes. */
struct kesco_report_plan {
    const struct kesco_report_edge *edges;
    size_t edge_count;
    const struct kesco_report_wait *waits;
    size_t wait_count;
    const unsigned *records; /* op ids that some wait waits for, ascending */
    size_t record_count;
};

/* What the plans rely on: the run checks it, or the program claims it. */
struct kesco_report_assumed {
    const struct kesco_report_guard *guards;
    size_t guard_count;
    const struct kesco_report_claim *claims;
    size_t claim_count;
};

/* Why ops do not overlap. */
struct kesco_report_stops {
    const struct kesco_report_barrier *barriers;
    size_t barrier_count;
    const struct kesco_report_barrier *serial; /* why its launches run one after another, and where; NULL:
                                                  they need not, or barriers say it */
};

/* Regions of which not all is planned, ascending. */
struct kesco_report_regions {
    const unsigned *placed; /* their ops get their lanes when they are issued */
    size_t placed_count;
    const unsigned *joins; /* their ops may overlap with those of functions called before and after */
    size_t join_count;
};

struct kesco_report_function {
    const char *name;       /* as in the source, demangled */
    const char *file;       /* where it stands, and its lines count; NULL: in the source file */
    unsigned lanes;         /* the most lanes that any region of the function uses */
    const unsigned *levels; /* by lane: the highest priority level of its ops in any region, from 0 on */
    const struct kesco_report_op *ops;
    size_t op_count;
    struct kesco_report_plan plan;
    struct kesco_report_assumed assumed;
    struct kesco_report_stops stops;
    struct kesco_report_regions regions;
    const struct kesco_report_call *lends;
    size_t lend_count;
};

struct kesco_report {
    const char *source; /* name of the source file as given to the compiler, or of the graph file */
    const struct kesco_report_function *functions;
    size_t function_count;
    const char *folder; /* absolute; relative names of source files start there; NULL: unknown */
};

/*
 * Writes `report` to `out` as one JSON object, keys in the order of contract 3, one op, edge, wait, guard
 * and barrier a line. Names that are no UTF-8 come out with each bad byte replaced by U+FFFD. `out` is
 * flushed. Returns 0, -ENOMEM, or -EIO when `out` refuses the text.
 */
int kesco_report_write(const struct kesco_report *report, FILE *out);

struct kesco_writer;

/* Writes one function as the report has it. */
void kesco_report_put_function(struct kesco_writer *writer, const struct kesco_report_function *function);

#ifdef __cplusplus
}
#endif

#endif
