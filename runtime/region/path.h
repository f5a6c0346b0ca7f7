/*
 * A way that control has taken through a region's ops, from the begin of a pass to its end, and the graphs of
 * it. Two passes are on one path if they have the same sites in order, and each op comes right after the
 * same ones; their arguments may differ.
 */
#ifndef KESCO_RUNTIME_REGION_PATH_H
#define KESCO_RUNTIME_REGION_PATH_H

#include "runtime/region/executable.h"
#include "runtime/region/outlook.h"

enum {
    KESCO_PATH_GRAPHS = 4, /* pointers that are swapped come back after as many passes */
    KESCO_PATH_RECENT = 8, /* passes among which one has come back */
};

/* Branches are dear, and what is to come may be too little for that. */
struct kesco_path_form {
    enum kesco_form form; /* of its graphs */
    int64_t beyond;       /* what branches would have saved that chains would not, */
    int64_t before;       /* and what of that when `since` of the path began */
};

/* Launches in which passes differ. */
struct kesco_path_updates {
    uint32_t changes;                   /* the last pass in so many from the one before */
    uint64_t spent;                     /* on updates that another graph might save, in nanoseconds */
    uint64_t recent[KESCO_PATH_RECENT]; /* kesco_pass_hash of passes, the latest at `used` */
};

struct kesco_path {
    bool again;                       /* it was taken more than once */
    bool is_refused;                  /* CUDA refuses graphs of it */
    int64_t credit;                   /* what graphs would have saved so far, or have, in nanoseconds */
    struct kesco_outlook_start since; /* it is known; time 0: it is not */
    struct kesco_path_form formed;
    struct kesco_path_updates updates;
    uint64_t used;   /* when it was taken last, in passes */
    uint64_t took;   /* the host, to launch one, last; 0: not known */
    uint32_t graphs; /* entries in executables */
    struct kesco_executable *executables[KESCO_PATH_GRAPHS];
    struct kesco_snapshot last; /* of a pass that was not put off; no op: there is no path */
};

/* What its next graph is like, and those that there are. */
struct kesco_shape kesco_path_shape(const struct kesco_path *path);

/* True if the op with that number, and all of `pass`, are on the path. */
bool kesco_path_has(const struct kesco_path *path, const struct kesco_pass *pass, uint32_t op);
bool kesco_path_is_of(const struct kesco_path *path, const struct kesco_pass *pass);

/* Frees its graphs; `are_gone`: as kesco_executable_destroy has it. And all that is known of it. */
void kesco_path_forget_graphs(struct kesco_path *path, bool are_gone);
void kesco_path_forget(struct kesco_path *path);

/* The place of its graph that differs least from `pass`, in `*differ` launches. There is one. */
uint32_t kesco_path_find_nearest(const struct kesco_path *path, const struct kesco_pass *pass,
                                 uint32_t *differ);

/* True if it is worth while to make a graph of `pass`, which differs from those that there are in so many
 * launches at least. */
bool kesco_path_needs_graph(struct kesco_path *path, const struct kesco_pass *pass, uint32_t differ);

/* Makes a graph of `pass`, the last one then. False: CUDA refuses, or there is no memory. */
bool kesco_path_make(struct kesco_path *path, const struct kesco_pass *pass);

/* Launches the graph at place `i` as `pass`, from which it differs in so many launches. False: CUDA refuses,
 * nothing was launched, and the graph is gone. */
bool kesco_path_launch(struct kesco_path *path, uint32_t i, const struct kesco_pass *pass, uint32_t differ,
                       cudaStream_t stream);

#endif
