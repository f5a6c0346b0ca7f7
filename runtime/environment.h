/*
 * What the environment asks of the runtime: KESCO_DISABLE, KESCO_LOG, KESCO_PROFILE, and KESCO_TRACE, read
 * once per process.
 */
#ifndef KESCO_RUNTIME_ENVIRONMENT_H
#define KESCO_RUNTIME_ENVIRONMENT_H

#include <stdbool.h>

struct kesco_environment {
    bool disable;        /* KESCO_DISABLE=1: every lane is the stream that the program asked for */
    bool log;            /* KESCO_LOG=1: regions and fallbacks are told on stderr */
    const char *profile; /* KESCO_PROFILE: the file that the times of ops go to (profile_format.h); or NULL */
    const char *trace;   /* KESCO_TRACE: the file that the trace goes to (trace_file.h); or NULL */
};

/* The environment as it was at the first call. A value other than 0, 1 or empty is named on stderr and
 * ignored. */
const struct kesco_environment *kesco_environment(void);

/* Writes one line, "kesco: " and the formatted text, to stderr if KESCO_LOG=1. */
void kesco_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
