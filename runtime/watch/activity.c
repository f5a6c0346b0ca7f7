#include "runtime/watch/activity.h"

#include "runtime/watch/site.h"

#include <cupti.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of what cuptiGetVersion tells: within one, records only grow at their ends. */
#define MAJOR_VERSION(version) ((version) / 10000)

enum { BUFFER_SIZE = 1 << 20 };

/* What is called of libcupti. */
#define FUNCTIONS(X)                                                                                         \
    X(cuptiGetVersion)                                                                                       \
    X(cuptiGetTimestamp)                                                                                     \
    X(cuptiActivityRegisterCallbacks)                                                                        \
    X(cuptiActivityEnable)                                                                                   \
    X(cuptiActivityDisable)                                                                                  \
    X(cuptiActivityFlushAll)                                                                                 \
    X(cuptiActivityGetNextRecord)                                                                            \
    X(cuptiActivityPushExternalCorrelationId)                                                                \
    X(cuptiActivityPopExternalCorrelationId)

#define DECLARE(name) __typeof__(name) *(name);
static struct {
    FUNCTIONS(DECLARE)
} cupti;

enum run_kind { RUN_KERNEL, RUN_COPY, RUN_MEMSET, RUN_KINDS };

static const char *const kind_names[RUN_KINDS] = {"kernel", "copy", "memset"};

/* A record of something that ran; or that an op issued something, which then has no times. */
struct record {
    uint64_t key;   /* the correlation id; of what an op issued: the op */
    uint32_t other; /* of what an op issued: the correlation id */
    uint64_t begin, end;
    enum run_kind kind;            /* of what ran, as the next */
    const struct kesco_site *site; /* its kind and name */
    uint32_t device, stream;
    bool found;  /* an op has issued it */
    bool pushed; /* an op or a region has */
};

struct records {
    struct record *items;
    size_t count, capacity;
};

static pthread_once_t start_once = PTHREAD_ONCE_INIT;
static bool is_started;
static uint64_t start_time; /* in nanoseconds */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct records runs;   /* guarded by lock, as the next */
static struct records issues; /* by ops */

/* What there is no memory for is left out. */
static void add(struct records *records, struct record record) {
    const size_t capacity = records->capacity == 0 ? 1024 : 2 * records->capacity;
    struct record *items;

    if (records->count == records->capacity) {
        items = realloc(records->items, capacity * sizeof *items);
        if (items == NULL)
            return;
        records->items = items;
        records->capacity = capacity;
    }
    records->items[records->count++] = record;
}

/* Times of 0 are none. */
static void add_run(struct record run, enum run_kind kind, const char *name) {
    if (run.end == 0)
        return;
    run.kind = kind;
    run.site = kesco_site_keep(&(struct kesco_site){.kind = kind_names[kind], .name = name});
    add(&runs, run);
}

#define RUN(activity)                                                                                        \
    (struct record) {                                                                                        \
        .key = (activity)->correlationId, .begin = (activity)->start, .end = (activity)->end,                \
        .device = (activity)->deviceId, .stream = (activity)->streamId                                       \
    }

static void take_in(const CUpti_Activity *activity) {
    const CUpti_ActivityExternalCorrelation *issue = (const void *)activity;
    const CUpti_ActivityKernel10 *kernel = (const void *)activity;
    const CUpti_ActivityMemcpy6 *copy = (const void *)activity;
    const CUpti_ActivityMemset4 *set = (const void *)activity;

    if (activity->kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION)
        add(&issues, (struct record){.key = issue->externalId, .other = issue->correlationId});
    else if (activity->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
        add_run(RUN(kernel), RUN_KERNEL, kernel->name);
    else if (activity->kind == CUPTI_ACTIVITY_KIND_MEMCPY)
        add_run(RUN(copy), RUN_COPY, "copy");
    else if (activity->kind == CUPTI_ACTIVITY_KIND_MEMSET)
        add_run(RUN(set), RUN_MEMSET, "memset");
}

/* Without memory, CUPTI drops records. */
static void CUPTIAPI give_buffer(uint8_t **buffer, size_t *size, size_t *records_most) {
    *buffer = malloc(BUFFER_SIZE);
    *size = *buffer == NULL ? 0 : BUFFER_SIZE;
    *records_most = 0;
}

static void CUPTIAPI take_buffer(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size,
                                 size_t valid_size) {
    CUpti_Activity *activity = NULL;

    (void)context, (void)stream, (void)size;
    pthread_mutex_lock(&lock);
    while (cupti.cuptiActivityGetNextRecord(buffer, valid_size, &activity) == CUPTI_SUCCESS)
        take_in(activity);
    pthread_mutex_unlock(&lock);
    free(buffer);
}

/* True if this thread's CUDA calls go to NVIDIA's driver, by what it is loaded as. */
static bool has_driver_context(void) {
    CUresult(CUDAAPI * get_current)(CUcontext *);
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD), *function;
    CUcontext context = NULL;

    if (driver == NULL)
        return false;
    function = dlsym(driver, "cuCtxGetCurrent");
    memcpy(&get_current, &function, sizeof get_current);
    if (function == NULL || get_current(&context) != CUDA_SUCCESS)
        context = NULL;
    dlclose(driver);
    return context != NULL;
}

static bool find_function(void *library, const char *name, void *to) {
    void *function = dlsym(library, name);

    memcpy(to, &function, sizeof function);
    return function != NULL;
}

static bool find_functions(void *library) {
    bool found = true;

#define FIND(name) found = find_function(library, #name, &cupti.name) && found;
    FUNCTIONS(FIND)
    return found;
}

static bool load(void) {
    char name[32];
    void *library;

    snprintf(name, sizeof name, "libcupti.so.%d", MAJOR_VERSION(CUPTI_API_VERSION));
    library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL)
        return false;
    if (find_functions(library))
        return true;
    dlclose(library);
    return false;
}

/* NVIDIA's; else the one that the process has, as the virtual GPU's. */
static bool find_cupti(void) {
    return has_driver_context() ? load() : find_functions(RTLD_DEFAULT);
}

/* Ops are correlated with records of the calls that issue them, which therefore have to be made, too. */
static bool enable(void) {
    static const CUpti_ActivityKind kinds[] = {
        CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET,
        CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION};
    size_t i = 0;

    while (i < sizeof kinds / sizeof *kinds && cupti.cuptiActivityEnable(kinds[i]) == CUPTI_SUCCESS)
        i++;
    if (i == sizeof kinds / sizeof *kinds)
        return true;
    while (i-- > 0)
        cupti.cuptiActivityDisable(kinds[i]);
    return false;
}

static void start(void) {
    uint32_t version;

    is_started = find_cupti() && cupti.cuptiGetVersion(&version) == CUPTI_SUCCESS &&
                 MAJOR_VERSION(version) == MAJOR_VERSION(CUPTI_API_VERSION) &&
                 cupti.cuptiActivityRegisterCallbacks(give_buffer, take_buffer) == CUPTI_SUCCESS &&
                 cupti.cuptiGetTimestamp(&start_time) == CUPTI_SUCCESS && enable();
}

bool kesco_activity_start(void) {
    pthread_once(&start_once, start);
    return is_started;
}

void kesco_activity_push(uint64_t id) {
    cupti.cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, id);
}

void kesco_activity_pop(void) {
    cupti.cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, NULL);
}

/* What ran before the start is not asked for. */
static double since_start(uint64_t nanoseconds) {
    return nanoseconds < start_time ? 0 : (double)(nanoseconds - start_time) / 1000;
}

double kesco_activity_now(void) {
    uint64_t now = start_time;

    cupti.cuptiGetTimestamp(&now);
    return since_start(now);
}

static int compare(const void *a, const void *b) {
    const struct record *first = a, *second = b;

    return (first->key > second->key) - (first->key < second->key);
}

static void sort(const struct records *records) {
    if (records->count > 0)
        qsort(records->items, records->count, sizeof *records->items, compare);
}

void kesco_activity_finish(void) {
    cupti.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    pthread_mutex_lock(&lock);
    sort(&runs);
    sort(&issues);
    pthread_mutex_unlock(&lock);
}

/* The first record of that key, or the end of all. */
static struct record *find(const struct records *records, uint64_t key) {
    size_t first = 0, last = records->count, middle;

    while (first < last) {
        middle = first + (last - first) / 2;
        if (records->items[middle].key < key)
            first = middle + 1;
        else
            last = middle;
    }
    return records->items + first;
}

static bool has(const struct records *records, const struct record *record, uint64_t key) {
    return record < records->items + records->count && record->key == key;
}

bool kesco_activity_find(uint64_t id, double *begin, double *end) {
    const struct record *issue;
    struct record *run;
    uint64_t first = UINT64_MAX, last = 0;

    pthread_mutex_lock(&lock);
    for (issue = find(&issues, id); has(&issues, issue, id); issue++)
        for (run = find(&runs, issue->other); has(&runs, run, issue->other); run++) {
            first = run->begin < first ? run->begin : first;
            last = run->end > last ? run->end : last;
            run->found = true;
        }
    pthread_mutex_unlock(&lock);
    *begin = since_start(first);
    *end = since_start(last);
    return last != 0;
}

static void find_pushed(void) {
    struct record *run;
    size_t i;

    for (i = 0; i < issues.count; i++)
        for (run = find(&runs, issues.items[i].other); has(&runs, run, issues.items[i].other); run++)
            run->pushed = true;
}

struct kesco_activity_counts kesco_activity_count_outside(void) {
    size_t counts[RUN_KINDS] = {0};
    size_t i;

    pthread_mutex_lock(&lock);
    find_pushed();
    for (i = 0; i < runs.count; i++)
        if (!runs.items[i].pushed && runs.items[i].site != NULL && runs.items[i].begin >= start_time)
            counts[runs.items[i].kind]++;
    pthread_mutex_unlock(&lock);
    return (struct kesco_activity_counts){counts[RUN_KERNEL], counts[RUN_COPY], counts[RUN_MEMSET]};
}

static int compare_others(const void *a, const void *b) {
    const struct kesco_activity_other *first = a, *second = b;

    if (first->device != second->device)
        return (first->device > second->device) - (first->device < second->device);
    if (first->stream != second->stream)
        return (first->stream > second->stream) - (first->stream < second->stream);
    return (first->begin > second->begin) - (first->begin < second->begin);
}

/* As C++ source has the name, where there is a C++ runtime to ask (Itanium C++ ABI, "Demangler API"). */
static const struct kesco_site *readable_site(const struct kesco_site *site) {
    char *(*demangle)(const char *, char *, size_t *, int *) = NULL;
    struct kesco_site readable = *site;
    const struct kesco_site *kept;
    int status = -1;
    char *name;

    if (!find_function(RTLD_DEFAULT, "__cxa_demangle", &demangle))
        return site;
    name = demangle(site->name, NULL, NULL, &status);
    if (name == NULL)
        return site;
    readable.name = name;
    kept = kesco_site_keep(&readable);
    free(name);
    return kept != NULL ? kept : site;
}

/* `others` has room for all. */
static size_t take_others(struct kesco_activity_other *others) {
    size_t i, count = 0;

    for (i = 0; i < runs.count; i++) {
        const struct record *run = &runs.items[i];

        if (!run->found && run->site != NULL && run->begin >= start_time)
            others[count++] = (struct kesco_activity_other){.site = readable_site(run->site),
                                                            .device = run->device,
                                                            .stream = run->stream,
                                                            .begin = since_start(run->begin),
                                                            .end = since_start(run->end)};
    }
    return count;
}

struct kesco_activity_other *kesco_activity_others(size_t *count) {
    struct kesco_activity_other *others;

    pthread_mutex_lock(&lock);
    others = runs.count == 0 ? NULL : malloc(runs.count * sizeof *others);
    *count = others == NULL ? 0 : take_others(others);
    pthread_mutex_unlock(&lock);
    if (*count > 0)
        qsort(others, *count, sizeof *others, compare_others);
    return others;
}
