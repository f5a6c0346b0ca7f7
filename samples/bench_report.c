#include "samples/bench_report.h"

#include <math.h>
#include <stdbool.h>

#define NAME_WIDTH 8

static const char *const titles[BENCH_VARIANTS] = {"serial",   "by hand", "graph",    "KeSCo",
                                                   "Taskflow", "CUDASTF", "processes"};

/* Text */

/* Right-aligned, with `decimals` digits behind the point; "-" for NAN. */
static void print_number(FILE *out, int width, int decimals, double number, const char *unit) {
    if (isnan(number))
        fprintf(out, " %*s", width, "-");
    else
        fprintf(out, " %*.*f%s", width - (int)(*unit != '\0'), decimals, number, unit);
}

/* Four digits that count, whatever the size. */
static void print_time(FILE *out, double time) {
    const int decimals = time >= 100 ? 1 : time >= 10 ? 2 : time >= 1 ? 3 : 4;
    print_number(out, 9, decimals, time, "");
}

static void print_times_row(const struct bench_workload *workload, FILE *out) {
    fprintf(out, "%-*s", NAME_WIDTH, workload->name);
    for (int v = 0; v < BENCH_OWN; v++)
        print_time(out, bench_time(workload, v));
    print_time(out, workload->bound);
    fputs(" |", out);
    print_number(out, 7, 2, bench_speedup(workload, BENCH_KESCO, BENCH_SERIAL), "x");
    print_number(out, 8, 2, bench_speedup(workload, BENCH_KESCO, BENCH_BY_HAND), "x");
    fputs(" |", out);
    print_number(out, 7, 0, workload->variants[BENCH_BY_HAND].records, "");
    print_number(out, 5, 0, workload->variants[BENCH_KESCO].records, "");
    fputs(" |", out);
    print_number(out, 7, 0, workload->variants[BENCH_BY_HAND].waits, "");
    print_number(out, 5, 0, workload->variants[BENCH_KESCO].waits, "");
    fputc('\n', out);
}

void bench_print_times(const struct bench_results *results, FILE *out) {
    fprintf(out, "%s; sizes: %g x the paper's; milliseconds, medians\n\n", results->device, results->scale);
    fprintf(out, "%-*s %-49s | %-16s | %-13s | %s\n", NAME_WIDTH, "", "time (bound: no schedule takes less)",
            "KeSCo's speedup", "event records", "event waits");
    fprintf(out, "%-*s", NAME_WIDTH, "workload");
    for (int v = 0; v < BENCH_OWN; v++)
        fprintf(out, " %9s", titles[v]);
    fprintf(out, " %9s | %7s %8s | %7s %5s | %7s %5s\n", "bound", "/serial", "/by hand", "by hand", "KeSCo",
            "by hand", "KeSCo");
    for (size_t i = 0; i < results->workload_count; i++)
        print_times_row(&results->workloads[i], out);
    fprintf(out, "%-*s |", NAME_WIDTH + 50, "geometric mean");
    print_number(out, 7, 2, bench_mean_speedup(results, BENCH_KESCO, BENCH_SERIAL), "x");
    print_number(out, 8, 2, bench_mean_speedup(results, BENCH_KESCO, BENCH_BY_HAND), "x");
    fputs(" |               |\n", out);
}

static void print_managed_row(const struct bench_workload *workload, FILE *out) {
    static const enum bench_variant fetched[] = {BENCH_SERIAL, BENCH_BY_HAND, BENCH_KESCO};
    fprintf(out, "%-*s", NAME_WIDTH, workload->name);
    for (int v = 0; v < BENCH_OWN; v++)
        print_time(out, bench_time(workload, v));
    fputs(" |", out);
    for (size_t i = 0; i < sizeof(fetched) / sizeof(*fetched); i++)
        print_time(out, bench_fetched_time(workload, fetched[i]));
    print_time(out, workload->bound);
    fputs(" |", out);
    print_number(out, 7, 2, bench_speedup(workload, BENCH_KESCO, BENCH_SERIAL), "x");
    print_number(out, 8, 2, bench_speedup(workload, BENCH_KESCO, BENCH_BY_HAND), "x");
    fputs(" |", out);
    print_number(out, 7, 2, bench_fetched_speedup(workload, BENCH_KESCO, BENCH_SERIAL, false), "x");
    print_number(out, 8, 2, bench_fetched_speedup(workload, BENCH_KESCO, BENCH_BY_HAND, true), "x");
    fputc('\n', out);
}

static void print_managed_means(const char *whose, const double means[4], FILE *out) {
    fprintf(out, "%-*s |", NAME_WIDTH + 82, whose);
    print_number(out, 7, 2, means[0], "x");
    print_number(out, 8, 2, means[1], "x");
    fputs(" |", out);
    print_number(out, 7, 2, means[2], "x");
    print_number(out, 8, 2, means[3], "x");
    fputc('\n', out);
}

/* Its slides "Speedup w/o Data Prefetch" and "Speedup w/ Data Prefetch": on an A100; they have means only. */
static const double paper_means[4] = {1.28, NAN, 5.01, 0.93};

void bench_print_managed(const struct bench_results *results, FILE *out) {
    const double means[4] = {bench_mean_speedup(results, BENCH_KESCO, BENCH_SERIAL),
                             bench_mean_speedup(results, BENCH_KESCO, BENCH_BY_HAND),
                             bench_mean_fetched_speedup(results, BENCH_KESCO, BENCH_SERIAL, false),
                             bench_mean_fetched_speedup(results, BENCH_KESCO, BENCH_BY_HAND, true)};
    fprintf(
        out,
        "%s; sizes: %g x the paper's, in managed memory that the host fills anew; milliseconds, medians\n\n",
        results->device, results->scale);
    fprintf(out, "%-*s %-39s | %-39s | %-16s | %s\n", NAME_WIDTH, "", "pages come by faults",
            "inputs are fetched (bound: of all)", "KeSCo's speedup", "where it fetches");
    fprintf(out, "%-*s", NAME_WIDTH, "workload");
    for (int v = 0; v < BENCH_OWN; v++)
        fprintf(out, " %9s", titles[v]);
    fprintf(out, " | %9s %9s %9s %9s | %7s %8s | %7s %8s\n", titles[BENCH_SERIAL], titles[BENCH_BY_HAND],
            titles[BENCH_KESCO], "bound", "/serial", "/by hand", "/serial", "/by hand");
    for (size_t i = 0; i < results->workload_count; i++)
        print_managed_row(&results->workloads[i], out);
    print_managed_means("geometric mean", means, out);
    print_managed_means("the paper's, on an A100", paper_means, out);
}

/* The least time of the serial program and of those by hand; NAN if none is known. */
static double best_by_hand(const struct bench_workload *workload) {
    double best = NAN;
    for (int v = 0; v < BENCH_KESCO; v++)
        best = fmin(best, bench_time(workload, v));
    return best;
}

static bool has_modes(const struct bench_workload *workload) {
    for (int mode = 0; mode < BENCH_MODES; mode++)
        if (!isnan(workload->modes[mode]))
            return true;
    return false;
}

static void print_modes_row(const struct bench_workload *workload, FILE *out) {
    const double taken = workload->modes[BENCH_MODE_AUTO];
    fprintf(out, "%-*s", NAME_WIDTH, workload->name);
    for (int mode = 0; mode < BENCH_MODES; mode++)
        print_time(out, workload->modes[mode]);
    fprintf(out, " | %-12s", workload->taken ? workload->taken : "-");
    print_number(out, 7, 2, bench_time(workload, BENCH_SERIAL) / taken, "x");
    print_number(out, 13, 2, best_by_hand(workload) / taken, "x");
    fputc('\n', out);
}

void bench_print_modes(const struct bench_results *results, FILE *out) {
    bool any = false;
    for (size_t i = 0; i < results->workload_count; i++)
        any |= has_modes(&results->workloads[i]);
    if (!any)
        return;
    fprintf(out, "%-*s %-39s | %s\n", NAME_WIDTH, "", "KeSCo once it has settled, by KESCO_MODE", "auto");
    fprintf(out, "%-*s", NAME_WIDTH, "workload");
    for (int mode = 0; mode < BENCH_MODES; mode++)
        fprintf(out, " %9s", bench_mode_names[mode]);
    fprintf(out, " | %-12s %7s %13s\n", "took", "/serial", "/best by hand");
    for (size_t i = 0; i < results->workload_count; i++)
        if (has_modes(&results->workloads[i]))
            print_modes_row(&results->workloads[i], out);
    fputc('\n', out);
}

static void print_rival_row(const struct bench_workload *workload, enum bench_variant rival, FILE *out) {
    fprintf(out, "%-*s", NAME_WIDTH, workload->name);
    print_time(out, bench_time(workload, rival));
    fputs(" |", out);
    print_number(out, 8, 2, bench_speedup(workload, rival, BENCH_SERIAL), "x");
    print_number(out, 16, 2, bench_speedup(workload, BENCH_KESCO, rival), "x");
    fputs(" |", out);
    print_number(out, 6, 0, workload->variants[rival].lines, "");
    print_number(out, 7, 0, workload->variants[rival].tokens, "");
    fputc('\n', out);
}

/* Without prefetch, on average: KeSCo over Taskflow, and what that program takes in the paper. */
static void print_papers_taskflow(FILE *out) {
    fprintf(out, "%-*s |", NAME_WIDTH + 10, "the paper's");
    print_number(out, 8, 2, NAN, "x");
    print_number(out, 16, 2, 1.16, "x");
    fputs(" |    173     914\n", out);
}

static void print_rival(const struct bench_results *results, enum bench_variant rival, FILE *out) {
    const double mean = bench_mean_speedup(results, BENCH_KESCO, rival);
    if (isnan(mean))
        return;
    fprintf(out, "%-*s %9s | %8s %16s | %6s %7s\n", NAME_WIDTH, "workload", titles[rival], "/serial",
            "KeSCo's speedup", "lines", "tokens");
    for (size_t i = 0; i < results->workload_count; i++)
        if (!isnan(bench_time(&results->workloads[i], rival)))
            print_rival_row(&results->workloads[i], rival, out);
    fprintf(out, "%-*s |", NAME_WIDTH + 10, "geometric mean");
    print_number(out, 8, 2, bench_mean_speedup(results, rival, BENCH_SERIAL), "x");
    print_number(out, 16, 2, mean, "x");
    fputs(" |\n", out);
    if (rival == BENCH_TASKFLOW && results->is_managed)
        print_papers_taskflow(out);
    fputc('\n', out);
}

void bench_print_rivals(const struct bench_results *results, FILE *out) {
    for (int v = BENCH_OWN; v < BENCH_VARIANTS; v++)
        print_rival(results, v, out);
}

/* Of KeSCo's variant: the serial source as it stands. */
void bench_print_code(const struct bench_results *results, FILE *out) {
    fprintf(out, "%-*s %27s | %27s\n", NAME_WIDTH, "", "lines of code", "tokens");
    fprintf(out, "%-*s", NAME_WIDTH, "workload");
    for (int i = 0; i < 2; i++)
        fprintf(out, "%s %12s %7s %7s", i ? " |" : "", "serial=KeSCo", titles[BENCH_BY_HAND],
                titles[BENCH_GRAPH]);
    fputc('\n', out);
    for (size_t i = 0; i < results->workload_count; i++) {
        const struct bench_measured *variants = results->workloads[i].variants;
        fprintf(out, "%-*s", NAME_WIDTH, results->workloads[i].name);
        print_number(out, 12, 0, variants[BENCH_SERIAL].lines, "");
        print_number(out, 7, 0, variants[BENCH_BY_HAND].lines, "");
        print_number(out, 7, 0, variants[BENCH_GRAPH].lines, "");
        fputs(" |", out);
        print_number(out, 12, 0, variants[BENCH_SERIAL].tokens, "");
        print_number(out, 7, 0, variants[BENCH_BY_HAND].tokens, "");
        print_number(out, 7, 0, variants[BENCH_GRAPH].tokens, "");
        fputc('\n', out);
    }
}

void bench_print_chart_data(const struct bench_results *results, FILE *out) {
    fputs("workload", out);
    for (int v = BENCH_BY_HAND; v < BENCH_OWN; v++)
        fprintf(out, " \"%s\"", titles[v]);
    if (results->is_managed)
        fprintf(out, " \"%s, fetched\" \"%s, fetched\"", titles[BENCH_BY_HAND], titles[BENCH_KESCO]);
    fputc('\n', out);
    for (size_t i = 0; i < results->workload_count; i++) {
        const struct bench_workload *workload = &results->workloads[i];
        fputs(workload->name, out);
        for (int v = BENCH_BY_HAND; v < BENCH_OWN; v++)
            print_number(out, 0, 4, bench_speedup(workload, v, BENCH_SERIAL), "");
        for (int v = BENCH_BY_HAND; v < BENCH_OWN && results->is_managed; v++)
            if (v != BENCH_GRAPH)
                print_number(out, 0, 4, bench_fetched_speedup(workload, v, BENCH_SERIAL, false), "");
        fputc('\n', out);
    }
    fputs("\"geometric mean\"", out);
    for (int v = BENCH_BY_HAND; v < BENCH_OWN; v++)
        print_number(out, 0, 4, bench_mean_speedup(results, v, BENCH_SERIAL), "");
    for (int v = BENCH_BY_HAND; v < BENCH_OWN && results->is_managed; v++)
        if (v != BENCH_GRAPH)
            print_number(out, 0, 4, bench_mean_fetched_speedup(results, v, BENCH_SERIAL, false), "");
    fputc('\n', out);
}

/* JSON. Each function adds to `object` and returns 0, or -1 without memory. */

static int set_number(json_t *object, const char *key, double number) {
    return isnan(number) ? 0 : json_object_set_new(object, key, json_real(number));
}

static int set_count(json_t *object, const char *key, double count) {
    return isnan(count) ? 0 : json_object_set_new(object, key, json_integer((json_int_t)count));
}

static int set_times(json_t *object, const struct bench_measured *measured) {
    const size_t count = measured->time_count;
    if (count == 0)
        return 0;
    return set_number(object, "median_ms", bench_median(measured->times, count)) ||
                   set_number(object, "min_ms", measured->times[0]) ||
                   set_number(object, "max_ms", measured->times[count - 1]) ||
                   set_count(object, "repetitions", (double)count)
               ? -1
               : 0;
}

static int set_variant(json_t *variants, const struct bench_workload *workload, enum bench_variant variant) {
    const struct bench_measured *measured = &workload->variants[variant];
    json_t *object = json_object();
    if (set_times(object, measured) ||
        set_number(object, "speedup_over_serial", bench_speedup(workload, variant, BENCH_SERIAL)) ||
        set_number(object, "speedup_over_by_hand", bench_speedup(workload, variant, BENCH_BY_HAND)) ||
        set_count(object, "records", measured->records) || set_count(object, "waits", measured->waits) ||
        set_number(object, "fetched_ms", bench_fetched_time(workload, variant)) ||
        set_number(object, "fetched_speedup_over_serial",
                   bench_fetched_speedup(workload, variant, BENCH_SERIAL, false)) ||
        set_count(object, "lines", measured->lines) || set_count(object, "tokens", measured->tokens)) {
        json_decref(object);
        return -1;
    }
    if (json_object_size(object) == 0) {
        json_decref(object);
        return 0;
    }
    return json_object_set_new(variants, bench_variant_names[variant], object);
}

static int set_modes(json_t *object, const struct bench_workload *workload) {
    json_t *modes = json_object();
    int code = 0;
    for (int mode = 0; mode < BENCH_MODES && code == 0; mode++)
        code = set_number(modes, bench_mode_names[mode], workload->modes[mode]);
    if (code == 0 && has_modes(workload))
        code = json_object_set(object, "modes_ms", modes);
    if (code == 0 && workload->taken)
        code = json_object_set_new(object, "taken", json_string(workload->taken));
    json_decref(modes);
    return code;
}

static int append_workload(json_t *workloads, const struct bench_workload *workload) {
    json_t *variants = json_object();
    json_t *object = json_pack("{s:s, s:O}", "name", workload->name, "variants", variants);
    int code = object ? set_number(object, "bound_ms", workload->bound) : -1;
    if (code == 0)
        code = set_modes(object, workload);
    for (int v = 0; v < BENCH_VARIANTS && code == 0; v++)
        code = set_variant(variants, workload, v);
    json_decref(variants);
    if (code) {
        json_decref(object);
        return -1;
    }
    return json_array_append_new(workloads, object);
}

static int set_mean(json_t *means, const struct bench_results *results, enum bench_variant variant) {
    json_t *object;
    if (variant >= BENCH_OWN && isnan(bench_mean_speedup(results, variant, BENCH_SERIAL)))
        return 0;
    object = json_object();
    if (set_number(object, "over_serial", bench_mean_speedup(results, variant, BENCH_SERIAL)) ||
        set_number(object, "over_by_hand", bench_mean_speedup(results, variant, BENCH_BY_HAND))) {
        json_decref(object);
        return -1;
    }
    return json_object_set_new(means, bench_variant_names[variant], object);
}

json_t *bench_to_json(const struct bench_results *results) {
    json_t *workloads = json_array(), *means = json_object();
    int code = workloads && means ? 0 : -1;
    for (size_t i = 0; i < results->workload_count && code == 0; i++)
        code = append_workload(workloads, &results->workloads[i]);
    for (int v = BENCH_BY_HAND; v < BENCH_VARIANTS && code == 0; v++)
        code = set_mean(means, results, v);
    json_t *json = NULL;
    if (code == 0)
        json = json_pack("{s:i, s:s, s:s, s:f, s:O, s:O}", "version", 1, "device", results->device, "memory",
                         results->is_managed ? "managed" : "device", "scale", results->scale, "workloads",
                         workloads, "mean_speedups", means);
    json_decref(means);
    json_decref(workloads);
    return json;
}
