/* What the environment asks of the runtime: the variables KESCO_..., read once per process. */
#ifndef KESCO_RUNTIME_ENVIRONMENT_H
#define KESCO_RUNTIME_ENVIRONMENT_H

#include "runtime/function_list.h"

#include <stdbool.h>

enum { KESCO_MODE_UNSET = -1 };

/* KESCO_STATS=0|1|all: what is told on stderr at exit. */
enum kesco_statistics_asked {
    KESCO_STATISTICS_NONE,
    KESCO_STATISTICS_REGIONS, /* what regions did */
    KESCO_STATISTICS_ALL      /* and what else ran */
};

struct kesco_environment {
    bool disable; /* KESCO_DISABLE=1: every lane is the stream that the program asked for */
    int mode;     /* KESCO_MODE=auto|serial|lanes|graph: KESCO_MODE_ of all regions; or KESCO_MODE_UNSET */
    bool check;   /* KESCO_CHECK=1: the program's claims of pointers are checked (region/claims.h) */
    bool log;     /* KESCO_LOG=1: regions and fallbacks are told on stderr */
    enum kesco_statistics_asked statistics;
    const char *profile; /* KESCO_PROFILE: the file that the times of ops go to (profile_format.h); or NULL */
    const char *trace;   /* KESCO_TRACE: the file that the trace goes to (trace_file.h); or NULL */
    struct kesco_function_list *only; /* KESCO_ONLY: regions of other functions are serial; or NULL */
};

/* The environment as it was at the first call. A value that is not allowed is named on stderr and ignored. */
const struct kesco_environment *kesco_environment(void);

/* Writes one line, "kesco: " and the formatted text, to stderr if KESCO_LOG=1. */
void kesco_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
