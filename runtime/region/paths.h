/*
 * The paths (path.h) that are known of a region, and which of them the pass at hand may be on.
 */
#ifndef KESCO_RUNTIME_REGION_PATHS_H
#define KESCO_RUNTIME_REGION_PATHS_H

#include "runtime/region/judge.h"
#include "runtime/region/path.h"

enum { KESCO_PATHS = 8 };

/* All zero: none is known. */
struct kesco_paths {
    struct kesco_path known[KESCO_PATHS];
    uint64_t candidates; /* a bit for each that the pass may be on, while it is put off */
    uint64_t turns;      /* with KESCO_MODE_TURNS: passes so far */
    uint32_t forgotten;  /* how often all regions have had to forget theirs, as far as this one has */
};

/* True if passes on some path are to be put off because it has paid for that. */
bool kesco_paths_pay(const struct kesco_paths *paths, const struct kesco_judge *judge);

/* True if graphs of some path seem to pay, whether or not they can be afforded yet. */
bool kesco_paths_may_pay(const struct kesco_paths *paths, const struct kesco_judge *judge);

/* A pass begins: each path that is allowed is a candidate. True: there are some. */
bool kesco_paths_begin(struct kesco_paths *paths, const struct kesco_judge *judge);

/* The last op of `pass` leaves the candidates that it is on. True: there are some. */
bool kesco_paths_go_on(struct kesco_paths *paths, const struct kesco_pass *pass);

/* Of the candidates, of which there is one at least: the first, and the one that `pass` has come to the end
 * of; NULL: none. */
const struct kesco_path *kesco_paths_first(const struct kesco_paths *paths);
struct kesco_path *kesco_paths_find_end(struct kesco_paths *paths, const struct kesco_pass *pass);

/* The path of `pass`, before which there were `now`. Where it is not known, the one that was taken least
 * lately gives way, of those without graphs if there are any. NULL: there is no memory. */
struct kesco_path *kesco_paths_find(struct kesco_paths *paths, const struct kesco_pass *pass, uint64_t now);

/* The graphs went with their device; no path is to be taken for long. */
void kesco_paths_forget_graphs(struct kesco_paths *paths);
void kesco_paths_refuse(struct kesco_paths *paths);

/* What graphs of them save is estimated otherwise from now on. */
void kesco_paths_count_anew(struct kesco_paths *paths);

/* None is known any more. */
void kesco_paths_forget(struct kesco_paths *paths);

#endif
