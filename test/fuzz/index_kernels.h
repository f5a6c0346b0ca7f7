/*
 * Programs of kernels that compute where they access: from threads and blocks, arguments of all widths,
 * guards, loops of many kinds, values that loops carry, integers that wrap and narrow. They are launched a
 * few times each, and held by the virtual GPU against the ranges in their summaries.
 */
#ifndef KESCO_TEST_FUZZ_INDEX_KERNELS_H
#define KESCO_TEST_FUZZ_INDEX_KERNELS_H

#include "test/fuzz/generator.h"

/* Prints such a program, with so many kernels. */
void write_index_kernels(struct generator *g, unsigned kernels);

#endif
