#include "test/vgpu/fail.h"

#include "runtime/nearest.h"
#include "test/vgpu/device.h"
#include "test/vgpu/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FAILURE_LIMIT = 64 };

/* One API:N of VGPU_FAIL. */
struct failure {
    enum api_id api;
    uint64_t call; /* 1: the first */
};

static struct failure failures[FAILURE_LIMIT];
static size_t failure_count;

static _Noreturn void reject(const char *text, const char *why) {
    die(EXIT_BAD_SETTING,
        "VGPU_FAIL=%s: %s; must be API:N[,API:N...] with at most %d entries, each the name of a modelled "
        "CUDA "
        "runtime function and the number of its call that fails, from 1",
        text, why, FAILURE_LIMIT);
}

static enum api_id find_api(const char *name, size_t length, const char *text) {
    for (int id = 0; id < API_COUNT; id++) {
        if (strlen(api_table[id].name) == length && memcmp(api_table[id].name, name, length) == 0)
            return (enum api_id)id;
    }
    const char *names[API_COUNT];
    for (int id = 0; id < API_COUNT; id++)
        names[id] = api_table[id].name;
    const char *nearest = kesco_nearest(name, length, names, API_COUNT);
    if (!nearest)
        reject(text, "no such function");
    char why[128];
    snprintf(why, sizeof(why), "no such function, did you mean %s", nearest);
    reject(text, why);
}

void fail_read(const char *text) {
    const char *at = text;
    do {
        const char *colon = strchr(at, ':');
        char *end;
        if (failure_count == FAILURE_LIMIT)
            reject(text, "too many entries");
        if (!colon)
            reject(text, "a ':' is missing");
        failures[failure_count].api = find_api(at, (size_t)(colon - at), text);
        errno = 0;
        const uint64_t call = strtoull(colon + 1, &end, 10);
        if (colon[1] < '0' || colon[1] > '9' || !call || errno || (*end && *end != ','))
            reject(text, "no call number behind ':'");
        failures[failure_count++].call = call;
        at = end + 1;
        if (!*end)
            break;
    } while (true);
}

cudaError_t fail_on_call(enum api_id api, uint64_t call) {
    for (size_t i = 0; i < failure_count; i++) {
        if (failures[i].api == api && failures[i].call == call)
            return api_table[api].failure;
    }
    return cudaSuccess;
}

__attribute__((visibility("default"))) _Noreturn void vgpu_unmodelled(const char *name, const char *detail) {
    if (detail && *detail)
        die(EXIT_UNMODELLED, "%s is not modelled: %s", name, detail);
    die(EXIT_UNMODELLED, "%s is not modelled", name);
}
