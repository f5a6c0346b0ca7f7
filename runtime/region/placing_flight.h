/* The ranges in flight that ops are placed by (placing.h): how they stay few. */
#ifndef KESCO_RUNTIME_REGION_PLACING_FLIGHT_H
#define KESCO_RUNTIME_REGION_PLACING_FLIGHT_H

#include "runtime/region/placing.h"

/* Some ranges have been forgotten: the first ones are not known any more, nor are others if they are many. */
void kesco_placing_drop_forgotten(struct kesco_placing *placing);

/* Room for the ranges of the op that is being placed: of older ones some become one, which covers more. */
void kesco_placing_make_room(struct kesco_placing *placing);

#endif
