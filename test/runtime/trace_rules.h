/*
 * The rules of the "Trace Event Format" (Chrome's document of that name, JSON object form), as far as they
 * bind a file of metadata, complete events, and flow events; and those that viewers have beyond it: an arrow
 * that does not begin and end in a slice is not drawn, and slices of one row that overlap without being
 * nested are cut.
 */
#ifndef KESCO_TEST_RUNTIME_TRACE_RULES_H
#define KESCO_TEST_RUNTIME_TRACE_RULES_H

#include <jansson.h>
#include <stdio.h>

/* Loads a file and checks it. NULL: it breaks a rule, which is told on stderr. */
json_t *trace_rules_load(const char *path);

/* The first complete event of that name. NULL: there is none. */
const json_t *trace_rules_find(const json_t *trace, const char *name);

/* The name of the row that an event is on. */
const char *trace_rules_row(const json_t *trace, const json_t *event);

/* Prints a trace that holds: its rows with what is on them, its arrows, which rows of ops have
 * something at the same time, and `otherData`. */
void trace_rules_print(FILE *file, const json_t *trace);

#endif
