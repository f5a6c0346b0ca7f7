/*
 * Text: graphs as people write them, the input of kesco-schedule (design page, contract 2).
 *
 *     op NAME [cost=MICROSECONDS] [fill=SHARE] [priority=P] [engine=ENGINE] [blocks] [r=OBJ,OBJ...]
 *         [w=OBJ,OBJ...]
 *
 * One op a line, in program order; fields stand apart by spaces or tabs, each key at most once. Blank lines
 * are skipped, and so is everything from a '#' that starts a field. Equal object names are one object, "*" is
 * any object. SHARE is how much of the device the op fills, above 0 and at most 1. ENGINE is compute,
 * to-device, to-host or none. The host waits for an op that blocks: no op is issued across it (a segment of
 * its own, graph.h). Kernels repeat, so op names may. Any bytes are safe to
 * read; names need not be UTF-8.
 */
#ifndef KESCO_SCHEDULE_TEXT_H
#define KESCO_SCHEDULE_TEXT_H

#include "plugin/schedule/graph.h"

#include <stddef.h>
#include <stdio.h>

#define KESCO_TEXT_MAX_LINE (1u << 20) /* longer lines are refused; bytes without the newline */

struct kesco_text {
    struct kesco_graph *graph; /* the ops and accesses; edges not built */
    unsigned *lines;           /* by op: the line that it stands on, counted from 1 */
};

struct kesco_text_error {
    unsigned line;     /* where, counted from 1; 0 where no line is to blame */
    char message[256]; /* what is wrong and what is allowed; one line of printable ASCII */
};

/*
 * Reads `in` to its end and stores the graph, which the caller frees with kesco_text_free. On an error
 * nothing is stored and `error` says why: -EINVAL for text that is no graph, -EIO when `in` cannot be read,
 * -ENOMEM, -EOVERFLOW.
 */
int kesco_text_read(FILE *in, struct kesco_text *text, struct kesco_text_error *error);

/* Frees what kesco_text_read stored. Accepts a zeroed text. */
void kesco_text_free(struct kesco_text *text);

#endif
