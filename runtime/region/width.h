/*
 * How many lanes placed ops go to (placing.h). Each lane that ops have to wait for takes the host a record
 * and a wait, and where ops are short the host is what the program waits for: half as many lanes will do if
 * half of them are done with all they have while ops need many records and waits. Once all lanes have work
 * for long, ops go to more lanes again.
 */
#ifndef KESCO_RUNTIME_REGION_WIDTH_H
#define KESCO_RUNTIME_REGION_WIDTH_H

#include "runtime/region/lanes.h"
#include "runtime/region/placing.h"

/* What was seen so far of a region that is open. */
struct kesco_width {
    uint32_t ops;      /* since lanes were last looked at, */
    uint32_t marks;    /* and records and waits that they took; */
    uint32_t due;      /* they are looked at after so many ops, */
    uint32_t looks;    /* and have been so often */
    uint32_t idle;     /* how often in a row half of the lanes had nothing to do, */
    uint32_t busy;     /* or all had something, */
    uint32_t patience; /* which has to be so often before there are more lanes, */
    bool was_widened;  /* and more often if there were more, and then fewer */
};

/* The region opens. */
void kesco_width_clear(struct kesco_width *width);

/* An op was placed like that. Sets how many lanes the next ops go to; `lanes` are not captured. */
void kesco_width_note(struct kesco_width *width, struct kesco_placing *placing,
                      const struct kesco_placement *placement, const struct kesco_lanes *lanes);

#endif
