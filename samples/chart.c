#define _POSIX_C_SOURCE 200809L

#include "samples/chart.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WAIT_COLOUR "\033[33m"
#define PLAIN "\033[0m"

struct op {
    size_t id;           /* place in program order, and in struct plan's ops */
    const char *name;    /* borrowed from the report */
    const char *kind;    /* borrowed from the report */
    size_t lane;         /* lane within the region */
    size_t region;       /* region within the function */
    int order;           /* place in issue order */
    size_t column;       /* column of the region's chart */
    char *waits;         /* " <ID,ID" or "": the ops that the lane waits for first; owned */
    size_t waits_length; /* bytes in waits */
};

/* One function of the report. */
struct plan {
    struct op *ops;
    size_t op_count;
    const struct op **issued; /* the ops in issue order */
    const json_t *waits;      /* borrowed, as the report has them */
    size_t *widths;           /* width of each column of the region at hand */
    size_t region_count;      /* regions, those without ops counted too */
    char *error;              /* CHART_ERROR_SIZE bytes for a message */
};

static int bad_report(struct plan *plan, const char *why) {
    snprintf(plan->error, CHART_ERROR_SIZE, "not a plan report: %s", why);
    return -EINVAL;
}

/* One op's fields; the op's memory is the plan's. */
static int read_op(struct plan *plan, const json_t *json, size_t index) {
    struct op *op = &plan->ops[index];
    int id, lane, region = 0;
    json_error_t error;
    if (json_unpack_ex((json_t *)json, &error, 0, "{s:i, s:s, s:s, s:i, s:i, s?i}", "id", &id, "kind",
                       &op->kind, "name", &op->name, "lane", &lane, "order", &op->order, "region", &region))
        return bad_report(plan, error.text);
    if (id < 0 || (size_t)id != index)
        return bad_report(plan, "ids are not 0, 1, 2 and so on");
    if (lane < 0 || (size_t)lane >= plan->op_count || region < 0 || (size_t)region >= plan->op_count)
        return bad_report(plan, "a lane or region is out of range");
    op->id = index;
    op->lane = (size_t)lane;
    op->region = (size_t)region;
    if (op->region >= plan->region_count)
        plan->region_count = op->region + 1;
    return 0;
}

static int read_wait(struct plan *plan, const json_t *json, size_t *op, size_t *on) {
    int op_id, on_id;
    json_error_t error;
    if (json_unpack_ex((json_t *)json, &error, 0, "{s:i, s:i}", "op", &op_id, "on", &on_id))
        return bad_report(plan, error.text);
    if (op_id < 0 || (size_t)op_id >= plan->op_count || on_id < 0 || (size_t)on_id >= plan->op_count)
        return bad_report(plan, "a wait names an op that is not there");
    *op = (size_t)op_id;
    *on = (size_t)on_id;
    return 0;
}

static int write_op_waits(struct plan *plan, struct op *op) {
    const char *separator = " <";
    FILE *text = open_memstream(&op->waits, &op->waits_length);
    if (!text)
        return -ENOMEM;
    int code = 0;
    for (size_t i = 0; i < json_array_size(plan->waits) && code == 0; i++) {
        size_t waiting, on;
        code = read_wait(plan, json_array_get(plan->waits, i), &waiting, &on);
        if (code == 0 && waiting == op->id) {
            fprintf(text, "%s%zu", separator, on);
            separator = ",";
        }
    }
    if (fclose(text) && code == 0)
        code = -ENOMEM;
    return code;
}

static int by_issue(const void *left, const void *right) {
    const struct op *a = *(const struct op *const *)left, *b = *(const struct op *const *)right;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

static void plan_destroy(struct plan *plan) {
    for (size_t i = 0; plan->ops && i < plan->op_count; i++)
        free(plan->ops[i].waits);
    free(plan->widths);
    free(plan->issued);
    free(plan->ops);
}

/* `plan` may be destroyed whatever this returns. */
static int plan_read(struct plan *plan, const json_t *function) {
    const json_t *ops = json_object_get(function, "ops");
    plan->waits = json_object_get(function, "waits");
    if (!json_is_array(ops) || !json_is_array(plan->waits))
        return bad_report(plan, "a function without the arrays 'ops' and 'waits'");
    plan->op_count = json_array_size(ops);
    if (plan->op_count == 0)
        return 0;
    plan->ops = calloc(plan->op_count, sizeof(*plan->ops));
    plan->issued = calloc(plan->op_count, sizeof(*plan->issued));
    plan->widths = calloc(plan->op_count, sizeof(*plan->widths));
    if (!plan->ops || !plan->issued || !plan->widths)
        return -ENOMEM;
    int code = 0;
    for (size_t i = 0; i < plan->op_count && code == 0; i++) {
        code = read_op(plan, json_array_get(ops, i), i);
        if (code == 0)
            code = write_op_waits(plan, &plan->ops[i]);
        plan->issued[i] = &plan->ops[i];
    }
    if (code == 0)
        qsort(plan->issued, plan->op_count, sizeof(*plan->issued), by_issue);
    return code;
}

/* Moves `op` right after `earlier`, unless it is there already or `earlier` is no earlier op of its region.
 */
static void put_behind(struct op *op, const struct op *earlier) {
    if (earlier->region == op->region && by_issue(&earlier, &(const struct op *){op}) < 0 &&
        op->column <= earlier->column)
        op->column = earlier->column + 1;
}

/* Needs the columns of the ops issued before. */
static void place_op(struct plan *plan, struct op *op, size_t issued_before) {
    op->column = 0;
    for (size_t i = 0; i < issued_before; i++)
        if (plan->issued[i]->lane == op->lane)
            put_behind(op, plan->issued[i]);
    for (size_t i = 0; i < json_array_size(plan->waits); i++) {
        size_t waiting, on;
        if (read_wait(plan, json_array_get(plan->waits, i), &waiting, &on) == 0 && waiting == op->id)
            put_behind(op, &plan->ops[on]);
    }
}

static size_t label_width(const struct op *op) {
    return (size_t)snprintf(NULL, 0, "%zu ", op->id) + strlen(op->name) + op->waits_length;
}

static void print_label(const struct op *op, FILE *out, bool colour, size_t width) {
    bool paint = colour && op->waits_length > 0;
    fprintf(out, "%zu %s%s%s%s", op->id, op->name, paint ? WAIT_COLOUR : "", op->waits, paint ? PLAIN : "");
    fprintf(out, "%*s", (int)(width - label_width(op)), "");
}

static void print_lane(const struct plan *plan, size_t region, size_t lane, FILE *out, bool colour) {
    size_t column = 0;
    fprintf(out, "  lane %zu", lane);
    for (size_t i = 0; i < plan->op_count; i++) {
        const struct op *op = plan->issued[i];
        if (op->region != region || op->lane != lane)
            continue;
        for (; column < op->column; column++)
            fprintf(out, " | %*s", (int)plan->widths[column], "");
        fputs(" | ", out);
        print_label(op, out, colour, plan->widths[column++]);
    }
    fputc('\n', out);
}

static void print_region(struct plan *plan, size_t region, FILE *out, bool colour) {
    size_t lanes = 0;
    memset(plan->widths, 0, plan->op_count * sizeof(*plan->widths));
    for (size_t i = 0; i < plan->op_count; i++) {
        const struct op *op = plan->issued[i];
        if (op->region != region)
            continue;
        place_op(plan, &plan->ops[op->id], i);
        if (label_width(op) > plan->widths[op->column])
            plan->widths[op->column] = label_width(op);
        if (op->lane >= lanes)
            lanes = op->lane + 1;
    }
    if (lanes > 0 && plan->region_count > 1)
        fprintf(out, " region %zu\n", region);
    for (size_t lane = 0; lane < lanes; lane++)
        print_lane(plan, region, lane, out, colour);
}

static size_t count_kind(const struct plan *plan, const char *kind) {
    size_t count = 0;
    for (size_t i = 0; i < plan->op_count; i++)
        count += strcmp(plan->ops[i].kind, kind) == 0;
    return count;
}

static void print_count(FILE *out, const char *before, size_t count, const char *what) {
    fprintf(out, "%s%zu %s%s", before, count, what, count == 1 ? "" : "s");
}

static void print_heading(const struct plan *plan, const json_t *function, const char *name, json_int_t lanes,
                          FILE *out) {
    size_t kernels = count_kind(plan, "kernel");
    fprintf(out, "%s", name);
    print_count(out, ": ", kernels, "kernel");
    if (kernels < plan->op_count)
        print_count(out, ", ", plan->op_count - kernels, "other op");
    print_count(out, ", ", (size_t)lanes, "lane");
    print_count(out, ", ", json_array_size(plan->waits), "wait");
    print_count(out, ", ", json_array_size(json_object_get(function, "records")), "record");
    fputc('\n', out);
}

/* What limits the plan; entries of another form are passed over. */
static void print_limits(const json_t *function, FILE *out) {
    const json_t *guards = json_object_get(function, "guards");
    const json_t *barriers = json_object_get(function, "barriers");
    const char *a, *b, *why;
    int line;
    for (size_t i = 0; i < json_array_size(guards); i++)
        if (json_unpack(json_array_get(guards, i), "{s:s, s:s}", "a", &a, "b", &b) == 0)
            fprintf(out, "  guard: serial unless %s and %s are different memory\n", a, b);
    for (size_t i = 0; i < json_array_size(barriers); i++)
        if (json_unpack(json_array_get(barriers, i), "{s:i, s:s}", "line", &line, "why", &why) == 0)
            fprintf(out, "  barrier in line %d: %s\n", line, why);
}

static int print_function(const json_t *function, FILE *out, bool colour, char error[CHART_ERROR_SIZE]) {
    struct plan plan = {.error = error};
    const json_t *name = json_object_get(function, "name"), *lanes = json_object_get(function, "lanes");
    int code = plan_read(&plan, function);
    if (code == 0 && (!json_is_string(name) || !json_is_integer(lanes)))
        code = bad_report(&plan, "a function without 'name' and 'lanes'");
    if (code == 0 && plan.op_count > 0) {
        print_heading(&plan, function, json_string_value(name), json_integer_value(lanes), out);
        for (size_t region = 0; region < plan.region_count; region++)
            print_region(&plan, region, out, colour);
        print_limits(function, out);
    }
    plan_destroy(&plan);
    return code;
}

int chart_print(const json_t *report, FILE *out, bool colour, char error[CHART_ERROR_SIZE]) {
    struct plan none = {.error = error};
    const json_t *functions = json_object_get(report, "functions");
    if (!json_is_array(functions))
        return bad_report(&none, "no array 'functions'");
    int code = 0;
    for (size_t i = 0; i < json_array_size(functions) && code == 0; i++)
        code = print_function(json_array_get(functions, i), out, colour, error);
    if (code == -ENOMEM)
        snprintf(error, CHART_ERROR_SIZE, "not enough memory");
    if (code == 0 && (fflush(out) || ferror(out))) {
        snprintf(error, CHART_ERROR_SIZE, "cannot write the chart");
        code = -EIO;
    }
    return code;
}
