/*
 * Access summaries: what kernels read and write, as the device compile finds it and the host compile needs
 * it.
 *
 * A summary speaks of every launch of its kernel. It may name more than a launch touches, never less. Memory
 * is named as the kernel reaches it: through a pointer in a parameter (a plain pointer, or a member of a
 * struct passed by value, by its place in the struct), by the name of a device variable, or not at all.
 *
 * summary_text.h has the form in which summaries travel inside the device image.
 */
#ifndef KESCO_SUMMARY_SUMMARY_H
#define KESCO_SUMMARY_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Effects on memory, as bits. An atomic access is both. */
enum { KESCO_READS = 1, KESCO_WRITES = 2 };

/* What a kernel does beside its accesses, as bits. */
enum {
    KESCO_PRINTS = 1,    /* calls printf: all that print share one buffer */
    KESCO_USES_HEAP = 2, /* device malloc, free, new, delete, and memory from there */
    KESCO_MAY_TRAP = 4,  /* __trap, a breakpoint, a failing assert */
    KESCO_WAITS = 8,     /* a loop may wait for other blocks (trap 7 of the design page) */
    KESCO_FLAGS = 15,    /* all of them */
};

/* Memory that a pointer in a parameter leads to. */
struct kesco_parameter_access {
    uint32_t parameter;   /* index of the parameter */
    uint32_t offset;      /* of the pointer in the parameter, in bytes: 0 for a plain pointer */
    unsigned effect;      /* KESCO_READS, KESCO_WRITES or both */
    char *read_within;    /* the bytes that are read through the pointer, as range.h has it; NULL: any */
    char *written_within; /* the same of those that are written */
    char *written_at; /* source place of a write, as "LINE" in the main file or "FILE:LINE"; NULL: unknown */
};

/* Of a variable, ascending by how much is known. */
enum kesco_variable_kind {
    KESCO_VARIABLE,      /* __device__ */
    KESCO_VARIABLE_READ, /* the same, which no kernel of the unit writes or gives the address of away: but for
                          * what the host makes of its handle, no pointer leads to it */
    KESCO_CONSTANT,      /* __constant__, or the same: no kernel can write it, through whatever pointer */
};

/* A __device__ or __constant__ variable. */
struct kesco_variable_access {
    char *name;      /* in the device image, mangled */
    unsigned effect; /* KESCO_READS, KESCO_WRITES or both */
    enum kesco_variable_kind kind;
};

/* Memory that no parameter and no name leads to: it may be any. */
struct kesco_summary_beyond {
    unsigned effect; /* on it */
    char *why;       /* how the kernel gets there, for people; NULL without an effect */
    char *at;        /* source place, as in written_at */
};

/* Code that nobody sees: it may do anything at all. */
struct kesco_summary_hidden {
    bool runs; /* there is some */
    char *why; /* which, for people; NULL without it */
    char *at;  /* source place, as in written_at */
};

struct kesco_summary {
    char *name;                                /* of the kernel in the device image, mangled */
    struct kesco_parameter_access *parameters; /* ascending by parameter, then offset; no two alike */
    size_t parameter_count;
    struct kesco_variable_access *variables; /* ascending by name; no two alike */
    size_t variable_count;
    uint32_t work;    /* instructions of a thread, as far as they can be estimated; 0: unknown */
    char *work_range; /* where a launch says more: from 0 to that, as range.h has it; or NULL */
    unsigned flags;   /* KESCO_PRINTS and so on */
    struct kesco_summary_beyond beyond;
    struct kesco_summary_hidden hidden;
};

/* Summaries by kernel. */
struct kesco_summaries {
    struct kesco_summary *items; /* ascending by name; no two alike */
    size_t count;
};

/* The summary of the kernel called `name`, an empty new one if there is none. NULL: no memory. Pointers to
 * other summaries of the set end with this call. */
struct kesco_summary *kesco_summaries_add(struct kesco_summaries *set, const char *name);

/* The summary of the kernel called `name`; NULL: there is none. */
const struct kesco_summary *kesco_summaries_find(const struct kesco_summaries *set, const char *name);

/* Adds every summary of `other` to those of `set`: a kernel in both gets the union. -ENOMEM: `set` has a part
 * of them and is fit only to be freed. */
int kesco_summaries_merge(struct kesco_summaries *set, const struct kesco_summaries *other);

/* Frees what the set owns and empties it. Accepts a zeroed set. */
void kesco_summaries_free(struct kesco_summaries *set);

/*
 * Add to a summary; what it had stays, so effects are united, and an effect that is added again has no range.
 * The first source place is kept; of a variable, the least is known that one says. An effect of 0 adds
 * nothing. Texts are copied, the places and reasons may be NULL. -ENOMEM.
 */
int kesco_summary_add_parameter(struct kesco_summary *summary, uint32_t parameter, uint32_t offset,
                                unsigned effect, const char *written_at);
int kesco_summary_add_variable(struct kesco_summary *summary, const char *name, unsigned effect,
                               enum kesco_variable_kind kind);
int kesco_summary_add_anywhere(struct kesco_summary *summary, unsigned effect, const char *why,
                               const char *at);
int kesco_summary_add_unseen(struct kesco_summary *summary, const char *why, const char *at);

/* Says that all accesses with that one effect, which are known, lie within the range `text` of range.h, until
 * one more is added. -EINVAL: the access is not known, or the text is none. -ENOMEM. */
int kesco_summary_set_range(struct kesco_summary *summary, uint32_t parameter, uint32_t offset,
                            unsigned effect, const char *text);

/* Says how much a thread has to do: the greater of what was said before and `work`, and `range`, which may be
 * NULL, unless something else was said before. -EINVAL: the range is none, or in pieces. -ENOMEM. */
int kesco_summary_add_work(struct kesco_summary *summary, uint32_t work, const char *range);

/* The effect through the pointer at `offset` in `parameter`; 0: none. */
unsigned kesco_summary_effect(const struct kesco_summary *summary, uint32_t parameter, uint32_t offset);

#ifdef __cplusplus
}
#endif

#endif
