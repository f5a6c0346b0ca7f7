#include "test/vgpu/race_report.h"

#include "test/vgpu/stats.h"

#include <inttypes.h>
#include <stdio.h>

static void print_op(const char *lead, const struct op *op, bool writes) {
    char name[SITE_TEXT], place[SITE_TEXT];
    op_describe(op, name);
    site_describe(&op->asker.site, place);
    const char *verb = op->kind == OP_KERNEL ? "launched at" : op->kind == OP_HOST ? "at" : "called at";
    fprintf(stderr, "  %s %s, %s %s, %s it\n", lead, name, verb, place, writes ? "writes" : "reads");
}

void race_report_allocation(const struct allocation *allocation) {
    char place[SITE_TEXT];
    if (allocation->kind == MEMORY_SYMBOL) {
        symbol_describe(allocation->maker.api, place);
        fprintf(stderr, "variable %s of %zu bytes at %p", place, allocation->size, (void *)allocation->base);
        return;
    }
    site_describe(&allocation->maker.site, place);
    fprintf(stderr, "allocation of %zu bytes at %p, made by %s at %s", allocation->size,
            (void *)allocation->base, allocation->maker.api, place);
}

/* Counts a race. False: it is not to be printed. */
static bool count_race(void) {
    return ++stats.order.races <= RACE_REPORT_LIMIT;
}

static void end_race(void) {
    if (stats.order.races == RACE_REPORT_LIMIT)
        fprintf(stderr, "vgpu: %d races printed; further ones are only counted\n", RACE_REPORT_LIMIT);
}

void race_report(const struct race *race) {
    if (!count_race())
        return;
    fprintf(stderr, "vgpu: race on bytes %zu to %zu of the ", race->first, race->last);
    race_report_allocation(race->allocation);
    fputc('\n', stderr);
    print_op("one: ", race->a, race->a_writes);
    print_op("other:", race->b, race->b_writes);
    end_race();
}

void race_report_managed(const struct op *op, const struct allocation *allocation, uint32_t kind,
                         const struct op *kernel) {
    char name[SITE_TEXT], place[SITE_TEXT];
    if (!count_race())
        return;
    fprintf(stderr, "vgpu: managed memory is touched while a kernel may run, on a device without concurrent "
                    "managed access: the ");
    race_report_allocation(allocation);
    fputc('\n', stderr);
    print_op("one: ", op, kind != VGPU_READ);
    op_describe(kernel, name);
    site_describe(&kernel->asker.site, place);
    fprintf(stderr, "  other: %s, launched at %s, which is not waited for\n", name, place);
    end_race();
}

void race_report_outside(const struct op *op, const void *address, size_t size, uint32_t kind) {
    char name[SITE_TEXT], place[SITE_TEXT];
    op_describe(op, name);
    site_describe(&op->asker.site, place);
    fprintf(stderr, "vgpu: %s, launched at %s, %s %zu bytes at %p, which is in no allocation\n", name, place,
            kind == VGPU_READ ? "reads" : "writes", size, address);
}

void race_report_out_of_reach(const struct op *op, const struct allocation *allocation) {
    char name[SITE_TEXT], place[SITE_TEXT];
    op_describe(op, name);
    site_describe(&op->asker.site, place);
    fprintf(stderr,
            "vgpu: %s, launched at %s on device %d, touches memory of device %d without peer access\n", name,
            place, op->queue.device, allocation->maker.device);
}

void race_report_host_fault(const struct allocation *allocation, const struct site *site, uint32_t kind) {
    char place[SITE_TEXT];
    site_describe(site, place);
    fprintf(stderr, "vgpu: the host, at %s, %s device memory: the ", place,
            kind == VGPU_READ ? "reads" : "writes");
    race_report_allocation(allocation);
    fputc('\n', stderr);
}
