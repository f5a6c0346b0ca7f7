/* CUPTI's records of what ran: when, and who issued it. */
#include "test/vgpu/rules/rules.h"

#include <cupti.h>
#include <string.h>

/* A buffer holds few records, so that there are several. */
enum { BUFFER = 1024, OPS_MOST = 64, SIZE = 1 << 20 };

static struct {
    CUpti_ActivityKind kind;
    uint32_t correlation;
    uint64_t begin, end;
} runs[OPS_MOST];
static struct {
    uint64_t external;
    uint32_t correlation;
} issues[OPS_MOST];
static size_t run_count, issue_count;

static void CUPTIAPI give(uint8_t **buffer, size_t *size, size_t *records_most) {
    *buffer = malloc(BUFFER);
    *size = *buffer ? BUFFER : 0;
    *records_most = 0;
}

static void add_run(CUpti_ActivityKind kind, uint32_t correlation, uint64_t begin, uint64_t end) {
    REQUIRE(run_count < OPS_MOST);
    runs[run_count].kind = kind;
    runs[run_count].correlation = correlation;
    runs[run_count].begin = begin;
    runs[run_count++].end = end;
}

#define ADD_RUN(type)                                                                                        \
    do {                                                                                                     \
        const type *run = (const void *)record;                                                              \
        add_run(run->kind, run->correlationId, run->start, run->end);                                        \
    } while (0)

static void take_record(const CUpti_Activity *record) {
    const CUpti_ActivityExternalCorrelation *issue = (const void *)record;
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
        ADD_RUN(CUpti_ActivityKernel10);
    else if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY)
        ADD_RUN(CUpti_ActivityMemcpy6);
    else if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET)
        ADD_RUN(CUpti_ActivityMemset4);
    else {
        REQUIRE(record->kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION && issue_count < OPS_MOST);
        issues[issue_count].external = issue->externalId;
        issues[issue_count++].correlation = issue->correlationId;
    }
}

static void CUPTIAPI take(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid) {
    CUpti_Activity *record = NULL;
    (void)context, (void)stream, (void)size;
    while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
        take_record(record);
    free(buffer);
}

#define DONE(call) REQUIRE((call) == CUPTI_SUCCESS)

static void enable(void) {
    DONE(cuptiActivityRegisterCallbacks(give, take));
    DONE(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
    DONE(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY));
    DONE(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET));
    DONE(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION));
}

static void push(uint64_t id) {
    DONE(cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, id));
}

static void pop(uint64_t id) {
    uint64_t last;
    DONE(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last));
    REQUIRE(last == id);
}

/* Of the op that was issued with the id. */
static size_t run_of(uint64_t id) {
    size_t issue = 0, run = 0;
    while (issue < issue_count && issues[issue].external != id)
        issue++;
    REQUIRE(issue < issue_count);
    while (run < run_count && runs[run].correlation != issues[issue].correlation)
        run++;
    REQUIRE(run < run_count);
    return run;
}

static void who_issued_what_is_told(void) {
    static char host[SIZE];
    char *memory = new_memory(SIZE);
    enable();
    push(7);
    OK(cudaMemset(memory, 0, SIZE));
    push(8);
    launch_work(64, 256, memory, SIZE, 10000, 0);
    pop(8);
    pop(7);
    REQUIRE(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, NULL) ==
            CUPTI_ERROR_QUEUE_EMPTY);
    OK(cudaMemcpy(host, memory, SIZE, cudaMemcpyDeviceToHost));
    DONE(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
    REQUIRE(run_count == 3 && issue_count == 2);
    REQUIRE(runs[run_of(7)].kind == CUPTI_ACTIVITY_KIND_MEMSET);
    REQUIRE(runs[run_of(8)].kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    REQUIRE(runs[run_of(7)].end <= runs[run_of(8)].begin);
}

/* On one stream, what runs is as long as the time between events around it, and within the host's time. */
static void times_are_those_of_events(void) {
    cudaEvent_t before, after;
    uint64_t begin, end;
    float milliseconds;
    OK(cudaEventCreate(&before));
    OK(cudaEventCreate(&after));
    enable();
    DONE(cuptiGetTimestamp(&begin));
    OK(cudaEventRecord(before, 0));
    for (int i = 0; i < 20; i++)
        launch_work(64, 256, NULL, 0, 100000, 0);
    OK(cudaEventRecord(after, 0));
    OK(cudaDeviceSynchronize());
    DONE(cuptiGetTimestamp(&end));
    OK(cudaEventElapsedTime(&milliseconds, before, after));
    DONE(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
    REQUIRE(run_count == 20 && issue_count == 0);
    REQUIRE(runs[0].begin >= begin && runs[19].end <= end);
    const double ratio = (double)(runs[19].end - runs[0].begin) / ((double)milliseconds * 1e6);
    REQUIRE(ratio > 0.95 && ratio <= 1.001);
    DONE(cuptiActivityFlushAll(0));
    REQUIRE(run_count == 20);
}

static void without_virtual_time_there_is_none(void) {
    DONE(cuptiActivityRegisterCallbacks(give, take));
    REQUIRE(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY) == CUPTI_ERROR_NOT_COMPATIBLE);
    REQUIRE(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_DRIVER) == CUPTI_ERROR_NOT_COMPATIBLE);
    REQUIRE(cuptiActivityRegisterCallbacks(NULL, take) == CUPTI_ERROR_INVALID_PARAMETER);
}

int main(int argc, char **argv) {
    static const struct rule rules[] = {
        RULE(who_issued_what_is_told, EVERY_SEED, .environment = "VGPU_TIME=1"),
        RULE(times_are_those_of_events, EVERY_SEED, .environment = "VGPU_TIME=1"),
        RULE(without_virtual_time_there_is_none, ONCE),
    };
    return RULES_MAIN(rules);
}
