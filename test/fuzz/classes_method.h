/* What the files that write members of a program of classes share. */
#ifndef KESCO_TEST_FUZZ_CLASSES_METHOD_H
#define KESCO_TEST_FUZZ_CLASSES_METHOD_H

#include "test/fuzz/classes.h"

enum { LENGTH = 32 }; /* elements of a buffer */

/* classes_method.c: true `share` times in 100. A number below `limit`. */
bool percent(const struct method_text *t, unsigned share);
unsigned below(const struct method_text *t, unsigned limit);

/* A pointer to a buffer's first element, for a kernel. */
const char *pointer_to(const struct method_text *t, unsigned buffer);

/* A number, which the run may compute. */
const char *value(const struct method_text *t);

/* classes_work.c: the configuration of a launch. */
const char *shape(const struct method_text *t);

/* One op. */
void write_launch(struct method_text *t);

/* One or two ops and, most often, a wait. Whether a launch itself succeeded. */
void write_work(struct method_text *t);
void write_launch_check(struct method_text *t);

/* classes_host.c: the host touches memory, behind a wait if need be; in `quiet` ways, only what is idle, and
 * nothing that calls the library. */
void write_access(struct method_text *t);
void write_quiet_access(struct method_text *t);

/* It goes on, and touches nothing that kernels work on. */
void write_host_step(struct method_text *t);
void write_log(struct method_text *t);

/* A blocking copy; objects with a stream of their own use that. */
void write_blocking_copy(struct method_text *t);

/* One element of a buffer, for the host. */
const char *element_of(const struct method_text *t, unsigned buffer, const char *at);

/* Where the program prints to, but for errors. */
const char *output_of(const struct method_text *t);

#endif
