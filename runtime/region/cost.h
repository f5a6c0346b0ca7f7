/*
 * What calls cost the host here, in nanoseconds: estimates that turn into what is measured. Launches are
 * known for a few microseconds, but some machines take many times as long for one call and not for another.
 */
#ifndef KESCO_RUNTIME_REGION_COST_H
#define KESCO_RUNTIME_REGION_COST_H

#include <stdint.h>

enum kesco_cost {
    KESCO_COST_LAUNCH, /* a kernel */
    KESCO_COST_MARK,   /* a record, or a stream that waits for one */
    KESCO_COST_STREAM, /* a stream is made: mostly little, but for some of them channels to the device are
                          made */
    KESCO_COST_EVENT,  /* an event is made */
    KESCO_COST_GRAPH,  /* a graph is launched, beside what each of its nodes adds: as published, since each
                          region learns by itself */
    KESCO_COST_GRAPH_NODE,   /* a graph is made: a node of it, */
    KESCO_COST_GRAPH_BRANCH, /* and channels to the device for a branch beside others, which stay */
};

uint64_t kesco_cost(enum kesco_cost cost);

/* One took so long. */
void kesco_cost_note(enum kesco_cost cost, uint64_t took);

/* The same where who calls keeps what is `known`, at first kesco_cost: what is known then. */
uint64_t kesco_cost_learn(enum kesco_cost cost, uint64_t known, uint64_t took);

/* Several calls took so long together, `fixed` of which is none of theirs. Nothing for none. */
void kesco_cost_note_some(enum kesco_cost cost, uint32_t calls, uint64_t took, uint64_t fixed);

#endif
