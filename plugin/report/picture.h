/*
 * What the pictures of a plan have in common, whether DOT (dot.h) or SVG (svg.h): their words and colours.
 *
 * The colours are told apart by people who see few of them, and none says what words or lines do not.
 */
#ifndef KESCO_REPORT_PICTURE_H
#define KESCO_REPORT_PICTURE_H

#include "plugin/report/arrows.h"
#include "plugin/report/report.h"
#include "plugin/report/writer.h"

#include <stdbool.h>
#include <stddef.h>

#define KESCO_WAIT_COLOUR "#c04000"    /* what a lane waits for */
#define KESCO_KEPT_COLOUR "#2b5a8c"    /* what a lane's own order keeps */
#define KESCO_IMPLIED_COLOUR "#a0a0a0" /* what other arrows imply */
#define KESCO_TEXT_COLOUR "#404040"    /* of labels, and of samples that are of no colour */

/* What a picture says where it leaves some arrows out: a format for their number, a size_t. */
#define KESCO_LEFT_OUT ", without %zu of the arrows: what follows from others, or a loop carries"

/* Puts text into a format: kesco_put_xml or kesco_put_dot. */
typedef void kesco_put_text(struct kesco_writer *writer, const char *text, size_t cells);

#define KESCO_LANE_COLOURS 8

/* The fill of a lane's ops, pale enough for black text; lanes take turns. */
const char *kesco_lane_colour(unsigned lane);

/* Whether the op is a kernel; pictures draw others with a dashed frame. */
bool kesco_op_is_kernel(const struct kesco_report_op *op);

/* Number and noun: "1 lane", "2 lanes". */
void kesco_put_count(struct kesco_writer *writer, size_t count, const char *noun);

/* How many kernels, other ops, lanes, waits, records, guards and barriers the function has. */
void kesco_put_counts(struct kesco_writer *writer, const struct kesco_report_function *function);

#define KESCO_FILE_CELLS 16 /* of a file's name, without its folder */

/* Where the op stands, "line 30, " or, for one in a helper, "image.h:12, "; nothing where that is unknown. */
void kesco_put_line(struct kesco_writer *writer, const struct kesco_report_op *op, kesco_put_text *put_text);

/* All that the report says of an op, in one line. */
void kesco_put_op_details(struct kesco_writer *writer, const struct kesco_report_op *op,
                          kesco_put_text *put_text);

/* One edge: "RAW data->image". */
void kesco_put_edge(struct kesco_writer *writer, const struct kesco_report_edge *edge,
                    kesco_put_text *put_text, size_t cells);

/* Returns the ids of the function's ops in issue order. The caller frees them. NULL without memory. */
unsigned *kesco_issue_sequence(const struct kesco_report_function *function);

/* Whether one barrier before says the same: a helper with two of them is inlined. */
bool kesco_barrier_is_repeated(const struct kesco_report_function *function, size_t barrier);

/*
 * Returns the function's guards and barriers for people, lines of at most `cells` where names allow, each
 * ended by a newline; "" where there are none. The caller frees it. NULL without memory.
 */
char *kesco_limits_text(const struct kesco_report_function *function, size_t cells);

#endif
