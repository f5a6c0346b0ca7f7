/* One end of a copy: where it is, and what may be said and done there. */
#ifndef KESCO_TEST_FUZZ_END_H
#define KESCO_TEST_FUZZ_END_H

#include "test/fuzz/generator.h"

struct end {
    const char *address; /* NULL where there is no such memory */
    uint32_t may;        /* the buffers that it may be in; 0 for pageable memory */
    unsigned room;       /* bytes from there on */
    bool on_host;        /* a copy may call it host memory, */
    bool on_device;      /* or device memory */
};

/* True if a copy may call what points into the buffers `may` host memory. */
bool is_on_host(const struct generator *g, uint32_t may);

/* In one of the buffers `within`: at a constant place, at a computed one, or where a pointer leads. */
struct end buffer_end(struct generator *g, uint32_t within);

/* All of a buffer that has a name. */
struct end whole_end(const struct generator *g, unsigned buffer);

/* In the function's pageable memory; `written` if the copy goes there. None under capture, where only what
 * nobody changes may be read. */
struct end page_end(struct generator *g, bool written);

/* A variable of the function. */
struct end number_end(struct generator *g);

/* Bytes from the start of an end: a constant, or any number, 0 among them. */
const char *constant_size(struct generator *g, unsigned room);
const char *size_within(struct generator *g, unsigned room);

/* A kind that a copy may have. */
const char *copy_kind(struct generator *g, const struct end *to, const struct end *from);

/* transfer.c: a copy of `size` bytes, on any stream. */
void write_copy(struct generator *g, const struct end *to, const struct end *from, const char *size);

#endif
