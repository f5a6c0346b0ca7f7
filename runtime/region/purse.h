/*
 * What making lanes and graphs may cost in all: a small part of the program's time so far (attention.h), so
 * that, whenever the program ends, it will not have lost more by them. Nanoseconds.
 */
#ifndef KESCO_RUNTIME_REGION_PURSE_H
#define KESCO_RUNTIME_REGION_PURSE_H

#include <stdbool.h>
#include <stdint.h>

/* True if so much may be spent now, beside what has been. */
bool kesco_purse_affords(uint64_t price);

void kesco_purse_spend(uint64_t price);

#endif
