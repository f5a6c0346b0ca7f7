/* Random inline assembly, with registers of its own, as the body of a kernel. */
#ifndef KESCO_TEST_FUZZ_ASSEMBLY_H
#define KESCO_TEST_FUZZ_ASSEMBLY_H

#include "test/fuzz/generator.h"

/* What the kernel's parameters are, beside `v`, a number. */
enum assembly_shape {
    ASSEMBLY_READS,  /* out, which is written, and in, which is not */
    ASSEMBLY_WRITES, /* out and in are written */
    ASSEMBLY_LOADS,  /* out is written, by way of the variable `stash` too; in is another name of it */
};

/* Writes a body that touches elements 0 to LENGTH-1 of what its pointers lead to. */
void write_assembly(struct generator *g, enum assembly_shape shape);

#endif
