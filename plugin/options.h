/*
 * What the user asked of the plugin: its options, -fplugin-arg-kesco-NAME[=VALUE] (design page, "What users
 * write").
 */
#ifndef KESCO_OPTIONS_H
#define KESCO_OPTIONS_H

#include "plugin/region/prefetch_option.h"
#include "plugin/region/wait_options.h"
#include "plugin/schedule/plan.h"

#include <stdbool.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Names of files; NULL: none. */
struct kesco_option_files {
    /* Where the plans go as JSON, in the DOT language and as a picture (messages/report_path.h). */
    const char *report, *dot, *svg;
    const char *profile; /* where times of ops come from */
    const char *exclude; /* the functions that stay as they are (plan/exclusions.h) */
};

/* What may become of the program, beside its plans. */
struct kesco_option_changes {
    struct kesco_wait_options waits;
    bool across_calls; /* ops of several functions may overlap (code/lending.h) */
    unsigned mode;     /* when regions have lanes: KESCO_MODE_ (runtime/kesco_abi.h) */
    enum kesco_prefetching prefetches;
};

/* What is printed: what kernels access, what was found of functions that launch, what became of them. */
struct kesco_option_shows {
    bool summaries, regions, code;
};

struct kesco_options {
    struct kesco_plan_options plan; /* policy, max_lanes, reorder */
    const char *only;               /* the functions to schedule (plan/selection.h); NULL: all */
    struct kesco_option_files files;
    struct kesco_option_changes changes;
    struct kesco_option_shows shows;
    bool annotation_warnings; /* warn of annotations that claim more than kernels do */
    bool embeds_runtime;      /* the runtime becomes part of what is compiled */
    bool strip_summaries;     /* no access summaries in what the compilation makes */
    bool help;                /* print what options there are */
    bool off;                 /* do nothing at all */
};

/* Those of somebody who asks for nothing. */
struct kesco_options kesco_options_default(void);

/*
 * Reads one option, "NAME" or "NAME=VALUE"; texts of `options` point into it. -EINVAL: `*error` is one line
 * that names the bad option or value and what is allowed, to be freed. -ENOMEM.
 */
int kesco_options_read(struct kesco_options *options, const char *argument, char **error);

/* True if plans are to be written, whatever they are. */
bool kesco_options_want_plans(const struct kesco_options *options);

/* Writes what options there are, in lines. */
void kesco_options_help(FILE *out);

#ifdef __cplusplus
}
#endif

#endif
