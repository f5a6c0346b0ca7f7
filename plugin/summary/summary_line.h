/*
 * The lines that summaries are written as (summary_text.h). A line is about the kernel of the last K:
 *
 *     K NAME                        a kernel
 *     P INDEX OFFSET EFFECT [PLACE] access through a parameter; EFFECT is r, w or rw
 *     R INDEX OFFSET EFFECT RANGE   after its P: where accesses with the effect, r or w, lie (range.h)
 *     V NAME EFFECT                 access to a __device__ variable
 *     D NAME EFFECT                 the same to one that no kernel writes (KESCO_VARIABLE_READ)
 *     C NAME EFFECT                 access to a __constant__ variable
 *     F FLAGS                       letters: p prints, h uses the heap, t may trap, w waits
 *     W NUMBER                      about how many instructions a thread runs; missing where unknown
 *     A EFFECT PLACE WHY            access to memory that nobody names; PLACE is - where unknown
 *     U PLACE WHY                   code that nobody sees
 *
 * Names and places have no white space in them, no line has control characters, and WHY may be empty. Order
 * says nothing but for R.
 */
#ifndef KESCO_SUMMARY_SUMMARY_LINE_H
#define KESCO_SUMMARY_SUMMARY_LINE_H

#include "plugin/summary/summary.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Writes all lines of a kernel. -EINVAL: a name is empty or has white space in it. */
int kesco_summary_lines_write(FILE *out, const struct kesco_summary *summary);

/* Reads one line, terminated, which is changed; `summary` is the kernel that it is about, NULL before the
 * first. -EBADMSG: it is none of these lines. -ENOMEM. */
int kesco_summary_line_parse(struct kesco_summaries *set, struct kesco_summary **summary, char *line);

/* Reads a number of decimal digits alone, `most` at most. */
bool kesco_summary_parse_number(const char *word, uint64_t most, uint64_t *number);

#endif
