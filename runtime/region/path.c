#include "runtime/region/path.h"

#include "runtime/region/attention.h"
#include "runtime/region/forecast.h"

#include <string.h>

struct kesco_shape kesco_path_shape(const struct kesco_path *path) {
    return kesco_shape_of(path->last.count, path->last.branches, path->formed.form);
}

bool kesco_path_has(const struct kesco_path *path, const struct kesco_pass *pass, uint32_t op) {
    return op < path->last.count && path->last.ops[op].site == pass->ops[op].site &&
           path->last.ops[op].before == pass->ops[op].before;
}

bool kesco_path_is_of(const struct kesco_path *path, const struct kesco_pass *pass) {
    uint32_t op;

    if (path->last.count != pass->count)
        return false;
    for (op = 0; op < pass->count; op++)
        if (!kesco_path_has(path, pass, op))
            return false;
    return true;
}

void kesco_path_forget_graphs(struct kesco_path *path, bool are_gone) {
    uint32_t i;

    for (i = 0; i < path->graphs; i++)
        kesco_executable_destroy(path->executables[i], are_gone);
    path->graphs = 0;
}

void kesco_path_forget(struct kesco_path *path) {
    kesco_path_forget_graphs(path, false);
    kesco_snapshot_clear(&path->last);
    memset(path, 0, sizeof *path);
}

uint32_t kesco_path_find_nearest(const struct kesco_path *path, const struct kesco_pass *pass,
                                 uint32_t *differ) {
    uint32_t nearest = 0, i, count;

    *differ = kesco_snapshot_compare(&path->executables[0]->next, pass);
    for (i = 1; i < path->graphs && *differ > 0; i++) {
        count = kesco_snapshot_compare(&path->executables[i]->next, pass);
        if (count < *differ) {
            *differ = count;
            nearest = i;
        }
    }
    return nearest;
}

/* True if a pass with the same arguments has been there lately. Takes note of this one. */
static bool comes_back(struct kesco_path *path, const struct kesco_pass *pass) {
    const uint64_t hash = kesco_pass_hash(pass);
    bool found = false;
    uint32_t i;

    for (i = 0; i < KESCO_PATH_RECENT; i++)
        found |= path->updates.recent[i] == hash;
    path->updates.recent[path->used % KESCO_PATH_RECENT] = hash;
    return found;
}

/* What updates have taken so far is this part of what a graph costs that saves them. */
enum { EAGER = 4 };

bool kesco_path_needs_graph(struct kesco_path *path, const struct kesco_pass *pass, uint32_t differ) {
    if (path->graphs == 0)
        return true;
    if (path->graphs == KESCO_PATH_GRAPHS || differ == 0 || !comes_back(path, pass))
        return false;
    path->updates.spent += kesco_forecast_price_of_updates(differ);
    return EAGER * path->updates.spent >= (uint64_t)kesco_forecast_price(kesco_path_shape(path));
}

bool kesco_path_make(struct kesco_path *path, const struct kesco_pass *pass) {
    struct kesco_executable *made = kesco_executable_make(pass, path->formed.form);

    path->updates.spent = 0;
    if (made == NULL) {
        path->is_refused = true;
        return false;
    }
    path->executables[path->graphs++] = made;
    return true;
}

/* The first launch of a graph brings it to the device, too; and what it takes is known after some. */
enum { MEASURED = 64 };

static bool launch(struct kesco_path *path, struct kesco_executable *executable, cudaStream_t stream) {
    const uint64_t began =
        executable->launches > 0 && executable->launches < MEASURED ? kesco_attention_now() : 0;

    if (!kesco_executable_launch(executable, stream))
        return false;
    path->took = began != 0 ? kesco_attention_now() - began : 0;
    executable->launches++;
    return true;
}

bool kesco_path_launch(struct kesco_path *path, uint32_t i, const struct kesco_pass *pass, uint32_t differ,
                       cudaStream_t stream) {
    struct kesco_executable *executable = path->executables[i];

    if ((differ == 0 || kesco_executable_update(executable, pass)) && launch(path, executable, stream))
        return true;
    kesco_executable_destroy(executable, false);
    path->executables[i] = path->executables[--path->graphs];
    path->is_refused = true;
    return false;
}
