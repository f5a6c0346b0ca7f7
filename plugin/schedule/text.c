#include "plugin/schedule/text.h"

#include "plugin/schedule/names.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define KNOWN_KEYS "cost, fill, priority, engine, r, w, and blocks without a value"
#define SHOWN_BYTES 32 /* as much of a bad field as a message shows */

struct reader {
    FILE *in;
    struct kesco_text_error *error; /* filled on the first error */
    struct kesco_graph *graph;      /* the ops so far */
    struct kesco_names names;       /* object names to ids */
    unsigned *lines;                /* by op: its line */
    size_t line_capacity;           /* room in lines */
    char *buffer;                   /* the line at hand, without its newline, terminated */
    unsigned line;                  /* its number */
    uint32_t segment;               /* of the next op that does not block */
};

/* One line's fields. */
struct op_line {
    struct kesco_op op; /* name points into the line */
    char *reads;        /* list after r=, NULL for none */
    char *writes;       /* list after w=, NULL for none */
    bool has_cost;      /* cost= was there */
    bool has_fill;      /* fill= was there */
    bool has_priority;  /* priority= was there */
    bool has_engine;    /* engine= was there */
};

__attribute__((format(printf, 3, 4))) static int fail(struct reader *reader, int err, const char *format,
                                                      ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reader->error->message, sizeof(reader->error->message), format, arguments);
    va_end(arguments);
    reader->error->line = reader->line;
    return err;
}

/* Writes the start of `text` into `shown`, fit for a terminal, and returns it. */
static const char *show(const char *text, char shown[SHOWN_BYTES + 4]) {
    size_t i = 0;
    for (; text[i] && i < SHOWN_BYTES; i++)
        shown[i] = isascii((unsigned char)text[i]) && isprint((unsigned char)text[i]) ? text[i] : '?';
    strcpy(shown + i, text[i] ? "..." : "");
    return shown;
}

/* Reads one line into the buffer. Stores false in `more` at the end of the input. */
static int read_line(struct reader *reader, bool *more) {
    size_t length = 0;
    int byte;
    reader->line++;
    while ((byte = getc_unlocked(reader->in)) != EOF && byte != '\n') {
        if (byte == '\0')
            return fail(reader, -EINVAL, "NUL byte; a graph is a text file");
        if (length == KESCO_TEXT_MAX_LINE)
            return fail(reader, -EINVAL, "line is longer than %u bytes", KESCO_TEXT_MAX_LINE);
        reader->buffer[length++] = (char)byte;
    }
    if (ferror(reader->in)) {
        reader->line = 0;
        return fail(reader, -EIO, "cannot be read");
    }
    if (byte == '\n' && length > 0 && reader->buffer[length - 1] == '\r')
        length--;
    reader->buffer[length] = '\0';
    *more = byte != EOF || length > 0;
    return 0;
}

/* Cuts the next field off the line; NULL at the line's end or a comment. */
static char *next_field(char **rest) {
    char *field = *rest + strspn(*rest, " \t");
    if (*field == '\0' || *field == '#')
        return NULL;
    *rest = field + strcspn(field, " \t");
    if (**rest)
        *(*rest)++ = '\0';
    return field;
}

static int parse_cost(struct reader *reader, const char *value, double *cost) {
    char shown[SHOWN_BYTES + 4], *end;
    *cost = strtod(value, &end);
    if (isspace((unsigned char)*value) || end == value || *end || !isfinite(*cost) || *cost < 0)
        return fail(reader, -EINVAL, "cost '%s' is not a number of microseconds, 0 or more",
                    show(value, shown));
    return 0;
}

static int parse_fill(struct reader *reader, const char *value, double *fill) {
    char shown[SHOWN_BYTES + 4], *end;
    *fill = strtod(value, &end);
    if (isspace((unsigned char)*value) || end == value || *end || !(*fill > 0 && *fill <= 1))
        return fail(reader, -EINVAL, "fill '%s' is not a share of the device, above 0 and at most 1",
                    show(value, shown));
    return 0;
}

static int parse_priority(struct reader *reader, const char *value, int *priority) {
    char shown[SHOWN_BYTES + 4], *end;
    errno = 0;
    long number = strtol(value, &end, 10);
    if (isspace((unsigned char)*value) || end == value || *end || errno || number < INT_MIN ||
        number > INT_MAX)
        return fail(reader, -EINVAL, "priority '%s' is not a whole number from %d to %d", show(value, shown),
                    INT_MIN, INT_MAX);
    *priority = (int)number;
    return 0;
}

static int parse_engine(struct reader *reader, const char *value, enum kesco_engine *engine) {
    static const char *const names[] = {
        [KESCO_ENGINE_COMPUTE] = "compute",
        [KESCO_ENGINE_TO_DEVICE] = "to-device",
        [KESCO_ENGINE_TO_HOST] = "to-host",
        [KESCO_ENGINE_NONE] = "none",
    };
    char shown[SHOWN_BYTES + 4];
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(value, names[i]) == 0) {
            *engine = (enum kesco_engine)i;
            return 0;
        }
    return fail(reader, -EINVAL, "engine '%s' is none of compute, to-device, to-host, none",
                show(value, shown));
}

static int parse_list(struct reader *reader, const char *key, char *value, char **list) {
    if (*list)
        return fail(reader, -EINVAL, "key '%s' stands twice; name all objects in one list", key);
    *list = value;
    return 0;
}

static int parse_word(struct reader *reader, const char *word, struct op_line *line) {
    char shown[SHOWN_BYTES + 4];
    if (strcmp(word, "blocks") != 0)
        return fail(reader, -EINVAL, "'%s' is not KEY=VALUE; known keys: " KNOWN_KEYS, show(word, shown));
    if (line->op.blocks)
        return fail(reader, -EINVAL, "key 'blocks' stands twice");
    line->op.blocks = true;
    return 0;
}

/* A key whose value is one thing. */
static int parse_single(struct reader *reader, const char *key, const char *value, struct op_line *line) {
    char shown[SHOWN_BYTES + 4];
    bool *seen = strcmp(key, "cost") == 0       ? &line->has_cost
                 : strcmp(key, "fill") == 0     ? &line->has_fill
                 : strcmp(key, "priority") == 0 ? &line->has_priority
                 : strcmp(key, "engine") == 0   ? &line->has_engine
                                                : NULL;
    if (!seen)
        return fail(reader, -EINVAL, "unknown key '%s'; known keys: " KNOWN_KEYS, show(key, shown));
    if (*seen)
        return fail(reader, -EINVAL, "key '%s' stands twice", key);
    *seen = true;
    if (seen == &line->has_cost)
        return parse_cost(reader, value, &line->op.cost);
    if (seen == &line->has_fill)
        return parse_fill(reader, value, &line->op.fill);
    return seen == &line->has_engine ? parse_engine(reader, value, &line->op.engine)
                                     : parse_priority(reader, value, &line->op.priority);
}

static int parse_field(struct reader *reader, char *field, struct op_line *line) {
    char *value = strchr(field, '=');
    if (!value)
        return parse_word(reader, field, line);
    *value++ = '\0';
    if (strcmp(field, "r") == 0)
        return parse_list(reader, field, value, &line->reads);
    if (strcmp(field, "w") == 0)
        return parse_list(reader, field, value, &line->writes);
    return parse_single(reader, field, value, line);
}

/* The id of the object called `name`, new or not. */
static int object_id(struct reader *reader, const char *name, uint32_t *id) {
    if (strcmp(name, "*") == 0) {
        *id = KESCO_OBJECT_ANY;
        return 0;
    }
    if (kesco_names_find(&reader->names, name, id) == 0)
        return 0;
    int err = kesco_graph_add_object(reader->graph, name, id);
    if (!err)
        err = kesco_names_add(&reader->names, name, *id);
    return err ? fail(reader, err, "%s", strerror(-err)) : 0;
}

/* Adds an access for each name of the list; the commas become terminators. */
static int add_accesses(struct reader *reader, uint32_t op, char *list, enum kesco_access access) {
    while (list) {
        char *name = list, *comma = strchr(list, ',');
        uint32_t object;
        list = comma ? comma + 1 : NULL;
        if (comma)
            *comma = '\0';
        if (*name == '\0')
            return fail(reader, -EINVAL, "empty object name in %c=; write NAME,NAME... or * for any object",
                        access == KESCO_READ ? 'r' : 'w');
        int err = object_id(reader, name, &object);
        if (err)
            return err;
        err = kesco_graph_add_access(reader->graph, op, object, access);
        if (err)
            return fail(reader, err, "%s", strerror(-err));
    }
    return 0;
}

static int note_line(struct reader *reader, uint32_t op) {
    if (op == reader->line_capacity) {
        size_t capacity = reader->line_capacity ? reader->line_capacity * 2 : 64;
        unsigned *lines = reallocarray(reader->lines, capacity, sizeof(*lines));
        if (!lines)
            return fail(reader, -ENOMEM, "%s", strerror(ENOMEM));
        reader->lines = lines;
        reader->line_capacity = capacity;
    }
    reader->lines[op] = reader->line;
    return 0;
}

/* The segment of the line's op: one of its own if it blocks. */
static uint32_t take_segment(struct reader *reader, bool blocks) {
    uint32_t segment = reader->segment + blocks;
    reader->segment = segment + blocks;
    return segment;
}

static int add_op(struct reader *reader, struct op_line *line) {
    uint32_t op;
    line->op.segment = take_segment(reader, line->op.blocks);
    line->op.cost_known = line->has_cost;
    int err = kesco_graph_add_op(reader->graph, &line->op, &op);
    if (err)
        return fail(reader, err, "%s", strerror(-err));
    err = note_line(reader, op);
    if (!err)
        err = add_accesses(reader, op, line->reads, KESCO_READ);
    if (!err)
        err = add_accesses(reader, op, line->writes, KESCO_WRITE);
    return err;
}

static int parse_line(struct reader *reader) {
    char shown[SHOWN_BYTES + 4];
    char *rest = reader->buffer;
    char *field = next_field(&rest);
    if (!field)
        return 0;
    if (strcmp(field, "op") != 0)
        return fail(reader, -EINVAL, "'%s' where 'op' should stand; a line is: op NAME [KEY=VALUE...]",
                    show(field, shown));
    struct op_line line = {.op = {.name = next_field(&rest), .cost = 1, .priority = 1}};
    if (!line.op.name)
        return fail(reader, -EINVAL, "op without a name; a line is: op NAME [KEY=VALUE...]");
    while ((field = next_field(&rest))) {
        int err = parse_field(reader, field, &line);
        if (err)
            return err;
    }
    return add_op(reader, &line);
}

static int read_lines(struct reader *reader) {
    bool more = true;
    while (more) {
        int err = read_line(reader, &more);
        if (!err && more)
            err = parse_line(reader);
        if (err)
            return err;
    }
    return 0;
}

int kesco_text_read(FILE *in, struct kesco_text *text, struct kesco_text_error *error) {
    char *buffer = malloc(KESCO_TEXT_MAX_LINE + 1);
    struct reader reader = {.in = in, .error = error, .buffer = buffer};
    int err;
    reader.graph = kesco_graph_create();
    reader.lines = calloc(1, sizeof(*reader.lines));
    if (reader.graph && buffer && reader.lines)
        err = read_lines(&reader);
    else
        err = fail(&reader, -ENOMEM, "%s", strerror(ENOMEM));
    free(buffer);
    kesco_names_free(&reader.names);
    if (err) {
        free(reader.lines);
        kesco_graph_destroy(reader.graph);
        return err;
    }
    *text = (struct kesco_text){.graph = reader.graph, .lines = reader.lines};
    return 0;
}

void kesco_text_free(struct kesco_text *text) {
    kesco_graph_destroy(text->graph);
    free(text->lines);
    *text = (struct kesco_text){0};
}
