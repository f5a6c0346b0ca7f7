/*
 * Programs of loops over places: functions whose loops launch on parts of arenas, on what tables of pointers
 * lead to, and on pointers that walk, by distances that only the run knows. Places meet now and then, in part
 * or whole, within a pass, from pass to pass, and from loop to loop. All accesses stay within the arenas.
 */
#ifndef KESCO_TEST_FUZZ_PLACES_H
#define KESCO_TEST_FUZZ_PLACES_H

#include "test/fuzz/generator.h"

/* Prints such a program, with so many functions that have loops. */
void write_places(struct generator *g, unsigned functions);

#endif
