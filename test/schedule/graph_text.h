/*
 * Graphs for tests, written in the text format.
 */
#ifndef KESCO_TEST_SCHEDULE_GRAPH_TEXT_H
#define KESCO_TEST_SCHEDULE_GRAPH_TEXT_H

#include "plugin/schedule/graph.h"
#include "plugin/schedule/plan.h"

/* The built graph of the text, which the caller destroys. Fails the test on errors. */
struct kesco_graph *graph_of_text(const char *text);

/* The built graph of a file next to the tests, which the caller destroys. Fails the test on errors. */
struct kesco_graph *graph_of_file(const char *name);

/* The plan of the graph with default options, which the caller destroys. Fails the test on errors. */
struct kesco_plan *plan_of(const struct kesco_graph *graph);

#endif
