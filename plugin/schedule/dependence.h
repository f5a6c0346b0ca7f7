/*
 * Dependences: from accesses to edges.
 *
 * Edges order every conflicting pair, directly or through other edges. Per named object: RAW from the last
 * writer to each reader, WAR from the readers since then to the next writer, WAW from writer to writer where
 * no op reads in between. That is linear in the accesses.
 *
 * KESCO_OBJECT_ANY: a write is a fence, with edges from the ops that have no successor yet and to what
 * follows. Reads of any object and writes alternate in phases; each reader of any has edges from the writers
 * of the phase before, each writer from those readers. So k readers between m and m independent writers make
 * 2 k m edges, all of which the transitive reduction has too; reads of any object alternating with writes
 * stay linear.
 */
#ifndef KESCO_SCHEDULE_DEPENDENCE_H
#define KESCO_SCHEDULE_DEPENDENCE_H

#include "plugin/schedule/graph.h"

/*
 * Computes the edges of `graph`, whose accesses are sorted by op with at most one per op and object, and
 * stores them, sorted by (to, from, object), in an array that the caller frees. Reads nothing of what
 * build_edges builds beyond the accesses. -ENOMEM, -EOVERFLOW.
 */
int kesco_dependence_edges(const struct kesco_graph *graph, struct kesco_edge **edges, size_t *count);

#endif
