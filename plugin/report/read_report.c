#include "plugin/report/read_report.h"

#include "plugin/schedule/plan.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where reading is. */
struct reader {
    struct kesco_arena *arena;
    const char *folder;   /* that relative names of files start from; NULL: they stay as they are */
    const char *function; /* name of the function at hand, or NULL */
    char *message;        /* KESCO_READ_ERROR_SIZE bytes; "" until something is wrong */
    int err;              /* the first error; nothing is looked at after it */
};

__attribute__((format(printf, 2, 3))) static void fail(struct reader *reader, const char *format, ...) {
    va_list arguments;
    if (reader->err)
        return;
    reader->err = -EINVAL;
    int length = snprintf(reader->message, KESCO_READ_ERROR_SIZE, "no report of KeSCo: %.80s%s",
                          reader->function ? reader->function : "", reader->function ? ": " : "");
    va_start(arguments, format);
    vsnprintf(reader->message + length, KESCO_READ_ERROR_SIZE - (size_t)length, format, arguments);
    va_end(arguments);
}

static void *alloc(struct reader *reader, size_t count, size_t size) {
    void *memory = reader->err ? NULL : kesco_arena_alloc(reader->arena, (count + 1) * size);
    if (!memory && !reader->err)
        reader->err = -ENOMEM;
    return memory;
}

/* A copy of the text that the object has under the key. "" after an error. */
static const char *text_at(struct reader *reader, const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    if (!text)
        fail(reader, "'%s' is missing or no text", key);
    const char *copy = text && !reader->err ? kesco_arena_strdup(reader->arena, text) : "";
    if (!copy)
        reader->err = -ENOMEM;
    return copy ? copy : "";
}

/* The name, from the folder on if it is relative; "<stdin>" is none. */
static const char *from_folder(struct reader *reader, const char *name) {
    if (!reader->folder || *name == '/' || *name == '<')
        return name;
    size_t size = strlen(reader->folder) + strlen(name) + sizeof("/");
    char *path = alloc(reader, size, sizeof(char));
    if (path)
        snprintf(path, size, "%s/%s", reader->folder, name);
    return path ? path : name;
}

/* The name of a file that the object has under the key; NULL where it has none. */
static const char *file_at(struct reader *reader, const json_t *object, const char *key) {
    const char *name = json_object_get(object, key) ? text_at(reader, object, key) : NULL;
    while (name && strncmp(name, "./", 2) == 0)
        name += 2;
    return name ? from_folder(reader, name) : NULL;
}

/* The number, from `least` to `most`. `least` after an error. */
static json_int_t number_in(struct reader *reader, const json_t *number, const char *what, json_int_t least,
                            json_int_t most) {
    json_int_t value = json_integer_value(number);
    if (json_is_integer(number) && value >= least && value <= most)
        return value;
    fail(reader, "'%s' is missing, or not a number from %" JSON_INTEGER_FORMAT " to %" JSON_INTEGER_FORMAT,
         what, least, most);
    return least;
}

/* The number under the key, below `end`. */
static unsigned below(struct reader *reader, const json_t *object, const char *key, size_t end) {
    return (unsigned)number_in(reader, json_object_get(object, key), key, 0, (json_int_t)end - 1);
}

/* The array under the key, and how long it is. */
static const json_t *array_at(struct reader *reader, const json_t *object, const char *key, size_t *count) {
    const json_t *array = json_object_get(object, key);
    if (!json_is_array(array))
        fail(reader, "'%s' is missing or no list", key);
    *count = reader->err ? 0 : json_array_size(array);
    return array;
}

/* The numbers of the array under the key, each below `end`. */
static const unsigned *numbers_at(struct reader *reader, const json_t *object, const char *key, size_t end,
                                  size_t *count) {
    const json_t *array = array_at(reader, object, key, count);
    unsigned *numbers = alloc(reader, *count, sizeof(*numbers));
    for (size_t i = 0; i < *count && !reader->err; i++)
        numbers[i] = (unsigned)number_in(reader, json_array_get(array, i), key, 0, (json_int_t)end - 1);
    return numbers;
}

static const char *const *names_at(struct reader *reader, const json_t *object, const char *key,
                                   size_t *count) {
    const json_t *array = array_at(reader, object, key, count);
    const char **names = alloc(reader, *count, sizeof(*names));
    for (size_t i = 0; i < *count && !reader->err; i++) {
        const char *name = json_string_value(json_array_get(array, i));
        if (!name)
            fail(reader, "'%s' has what is no name", key);
        names[i] = kesco_arena_strdup(reader->arena, name ? name : "");
        if (!names[i])
            reader->err = -ENOMEM;
    }
    return names;
}

/* The place of the word under the key among the names that `name_of` gives to 0 and what follows, `count` of
 * them. */
static int word_at(struct reader *reader, const json_t *object, const char *key, const char *(*name_of)(int),
                   int count) {
    const char *word = text_at(reader, object, key);
    for (int i = 0; i < count; i++)
        if (strcmp(word, name_of(i)) == 0)
            return i;
    fail(reader, "'%s' is '%.40s', which is unknown", key, word);
    return 0;
}

static const char *op_kind(int kind) {
    return kesco_op_kind_name((enum kesco_op_kind)kind);
}

static const char *edge_kind(int kind) {
    return kesco_edge_kind_name((enum kesco_edge_kind)kind);
}

static void read_op(struct reader *reader, const json_t *json, struct kesco_report_function *function,
                    size_t id, struct kesco_report_op *op) {
    size_t count = function->op_count;
    if (below(reader, json, "id", count) != id)
        fail(reader, "the op in place %zu has another id", id);
    op->kind = (enum kesco_op_kind)word_at(reader, json, "kind", op_kind, KESCO_OP_FREE + 1);
    op->name = text_at(reader, json, "name");
    op->line = below(reader, json, "line", UINT32_MAX);
    op->source = file_at(reader, json, "source");
    op->lane = below(reader, json, "lane", function->lanes);
    op->order = below(reader, json, "order", count);
    op->touched.reads = names_at(reader, json, "reads", &op->touched.read_count);
    op->touched.writes = names_at(reader, json, "writes", &op->touched.write_count);
    op->priority =
        (int)number_in(reader, json_object_get(json, "priority"), "priority", INT32_MIN, INT32_MAX);
    op->zone = below(reader, json, "zone", UINT32_MAX);
    op->region = below(reader, json, "region", count);
}

static void read_ops(struct reader *reader, const json_t *json, struct kesco_report_function *function) {
    const json_t *array = array_at(reader, json, "ops", &function->op_count);
    struct kesco_report_op *ops = alloc(reader, function->op_count, sizeof(*ops));
    for (size_t i = 0; i < function->op_count && !reader->err; i++)
        read_op(reader, json_array_get(array, i), function, i, &ops[i]);
    function->ops = ops;
}

static void read_edges(struct reader *reader, const json_t *json, struct kesco_report_function *function) {
    const json_t *array = array_at(reader, json, "edges", &function->plan.edge_count);
    struct kesco_report_edge *edges = alloc(reader, function->plan.edge_count, sizeof(*edges));
    for (size_t i = 0; i < function->plan.edge_count && !reader->err; i++) {
        const json_t *edge = json_array_get(array, i);
        edges[i] = (struct kesco_report_edge){
            .from = below(reader, edge, "from", function->op_count),
            .to = below(reader, edge, "to", function->op_count),
            .kind = (enum kesco_edge_kind)word_at(reader, edge, "kind", edge_kind, KESCO_WAW + 1),
            .object = text_at(reader, edge, "object"),
        };
    }
    function->plan.edges = edges;
}

static void read_waits(struct reader *reader, const json_t *json, struct kesco_report_function *function) {
    const json_t *array = array_at(reader, json, "waits", &function->plan.wait_count);
    struct kesco_report_wait *waits = alloc(reader, function->plan.wait_count, sizeof(*waits));
    for (size_t i = 0; i < function->plan.wait_count && !reader->err; i++)
        waits[i] = (struct kesco_report_wait){
            .op = below(reader, json_array_get(array, i), "op", function->op_count),
            .on = below(reader, json_array_get(array, i), "on", function->op_count),
        };
    function->plan.waits = waits;
    function->plan.records =
        numbers_at(reader, json, "records", function->op_count, &function->plan.record_count);
}

static void read_claims(struct reader *reader, const json_t *json, struct kesco_report_function *function) {
    const json_t *array = array_at(reader, json, "claims", &function->assumed.claim_count);
    struct kesco_report_claim *claims = alloc(reader, function->assumed.claim_count, sizeof(*claims));
    for (size_t i = 0; i < function->assumed.claim_count && !reader->err; i++)
        claims[i] = (struct kesco_report_claim){
            .line = below(reader, json_array_get(array, i), "line", UINT32_MAX),
            .a = text_at(reader, json_array_get(array, i), "a"),
            .b = text_at(reader, json_array_get(array, i), "b"),
        };
    function->assumed.claims = claims;
}

static void read_lends(struct reader *reader, const json_t *json, struct kesco_report_function *function) {
    const json_t *array = array_at(reader, json, "lends", &function->lend_count);
    struct kesco_report_call *calls = alloc(reader, function->lend_count, sizeof(*calls));
    for (size_t i = 0; i < function->lend_count && !reader->err; i++)
        calls[i] = (struct kesco_report_call){
            .line = below(reader, json_array_get(array, i), "line", UINT32_MAX),
            .callee = text_at(reader, json_array_get(array, i), "callee"),
        };
    function->lends = calls;
}

static void read_serial(struct reader *reader, const json_t *json, struct kesco_report_function *function) {
    const json_t *serial = json_object_get(json, "serial");
    struct kesco_report_barrier *reason = alloc(reader, 1, sizeof(*reason));
    if (reader->err)
        return;
    reason->line = below(reader, serial, "line", UINT32_MAX);
    reason->why = text_at(reader, serial, "why");
    function->stops.serial = reason;
}

static void read_limits(struct reader *reader, const json_t *json, struct kesco_report_function *function) {
    const json_t *array = array_at(reader, json, "guards", &function->assumed.guard_count);
    struct kesco_report_guard *guards = alloc(reader, function->assumed.guard_count, sizeof(*guards));
    for (size_t i = 0; i < function->assumed.guard_count && !reader->err; i++)
        guards[i] = (struct kesco_report_guard){
            .a = text_at(reader, json_array_get(array, i), "a"),
            .b = text_at(reader, json_array_get(array, i), "b"),
        };
    array = array_at(reader, json, "barriers", &function->stops.barrier_count);
    struct kesco_report_barrier *barriers = alloc(reader, function->stops.barrier_count, sizeof(*barriers));
    for (size_t i = 0; i < function->stops.barrier_count && !reader->err; i++)
        barriers[i] = (struct kesco_report_barrier){
            .line = below(reader, json_array_get(array, i), "line", UINT32_MAX),
            .why = text_at(reader, json_array_get(array, i), "why"),
        };
    function->assumed.guards = guards;
    function->stops.barriers = barriers;
    if (json_object_get(json, "serial"))
        read_serial(reader, json, function);
    if (json_object_get(json, "claims"))
        read_claims(reader, json, function);
    if (json_object_get(json, "placed"))
        function->regions.placed =
            numbers_at(reader, json, "placed", function->op_count, &function->regions.placed_count);
    if (json_object_get(json, "joins"))
        function->regions.joins =
            numbers_at(reader, json, "joins", function->op_count, &function->regions.join_count);
    if (json_object_get(json, "lends"))
        read_lends(reader, json, function);
}

static void read_function(struct reader *reader, const json_t *json, struct kesco_report_function *function) {
    size_t levels;
    reader->function = NULL;
    reader->function = function->name = text_at(reader, json, "name");
    function->file = file_at(reader, json, "file");
    function->lanes = below(reader, json, "lanes", KESCO_PLAN_MAX_LANES + 1);
    function->levels = numbers_at(reader, json, "levels", KESCO_PLAN_MAX_LANES, &levels);
    if (levels != function->lanes)
        fail(reader, "'levels' is not one for each lane");
    read_ops(reader, json, function);
    read_edges(reader, json, function);
    read_waits(reader, json, function);
    read_limits(reader, json, function);
}

static void read_root(struct reader *reader, const json_t *root, bool as_given, struct kesco_report *report) {
    const json_t *version = json_object_get(root, "version");
    if (!json_is_integer(version) || !json_object_get(root, "functions")) {
        fail(reader, "it has not the fields 'version', 'source' and 'functions'");
        reader->err = -ENODATA;
        return;
    }
    if (json_integer_value(version) != KESCO_REPORT_VERSION) {
        snprintf(reader->message, KESCO_READ_ERROR_SIZE,
                 "a report of version %" JSON_INTEGER_FORMAT
                 ", where %d is read; compile again with the plugin "
                 "that this program came with",
                 json_integer_value(version), KESCO_REPORT_VERSION);
        reader->err = -EINVAL;
        return;
    }
    report->folder = json_object_get(root, "folder") ? text_at(reader, root, "folder") : NULL;
    if (report->folder && !as_given && access(report->folder, F_OK) == 0)
        reader->folder = report->folder;
    report->source = file_at(reader, root, "source");
    if (!report->source)
        fail(reader, "'source' is missing");
    const json_t *array = array_at(reader, root, "functions", &report->function_count);
    struct kesco_report_function *functions = alloc(reader, report->function_count, sizeof(*functions));
    for (size_t i = 0; i < report->function_count && !reader->err; i++)
        read_function(reader, json_array_get(array, i), &functions[i]);
    report->functions = functions;
}

int kesco_report_read(const char *path, bool as_given, struct kesco_arena *arena, struct kesco_report *report,
                      char message[KESCO_READ_ERROR_SIZE]) {
    json_error_t error;
    struct reader reader = {.arena = arena, .message = message};
    *report = (struct kesco_report){0};
    *message = '\0';
    FILE *file = fopen(path, "r");
    if (!file) {
        snprintf(message, KESCO_READ_ERROR_SIZE, "%s", strerror(errno));
        return -EIO;
    }
    json_t *root = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    if (root)
        read_root(&reader, root, as_given, report);
    else if (ferror(file))
        fail(&reader, "it cannot be read");
    else
        fail(&reader, "line %d is no JSON: %s", error.line, error.text);
    fclose(file);
    json_decref(root);
    if (reader.err == -ENOMEM)
        snprintf(message, KESCO_READ_ERROR_SIZE, "%s", strerror(ENOMEM));
    return reader.err;
}
