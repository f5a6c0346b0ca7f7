#include "plugin/report/picture.h"

#include "plugin/report/guard_sets.h"
#include "plugin/report/utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BARRIERS 60 /* told of one function */

const char *kesco_lane_colour(unsigned lane) {
    static const char *const colours[KESCO_LANE_COLOURS] = {"#cfe8f7", "#fde6b8", "#c9ecd9", "#f6d5e5",
                                                            "#e4e4e4", "#fbf6b6", "#d6d9f5", "#f9d9c6"};
    return colours[lane % KESCO_LANE_COLOURS];
}

bool kesco_op_is_kernel(const struct kesco_report_op *op) {
    return op->kind == KESCO_OP_KERNEL;
}

void kesco_put_count(struct kesco_writer *writer, size_t count, const char *noun) {
    kesco_put(writer, "%zu %s%s", count, noun, count == 1 ? "" : "s");
}

void kesco_put_counts(struct kesco_writer *writer, const struct kesco_report_function *function) {
    size_t kernels = 0;
    for (size_t i = 0; i < function->op_count; i++)
        kernels += kesco_op_is_kernel(&function->ops[i]);
    const struct {
        size_t count;
        const char *noun;
    } rest[] = {{function->lanes, "lane"},
                {function->plan.wait_count, "wait"},
                {function->plan.record_count, "record"},
                {function->assumed.guard_count, "guard"},
                {function->stops.barrier_count, "barrier"}};
    kesco_put_count(writer, kernels, "kernel");
    if (kernels < function->op_count) {
        kesco_put(writer, ", ");
        kesco_put_count(writer, function->op_count - kernels, "other op");
    }
    for (size_t i = 0; i < sizeof(rest) / sizeof(*rest); i++) {
        kesco_put(writer, ", ");
        kesco_put_count(writer, rest[i].count, rest[i].noun);
    }
}

void kesco_put_line(struct kesco_writer *writer, const struct kesco_report_op *op, kesco_put_text *put_text) {
    if (op->source) {
        const char *line = strrchr(op->source, ':'), *folder_end = strrchr(op->source, '/');
        const char *name = folder_end ? folder_end + 1 : op->source;
        char *file = strndup(name, line ? (size_t)(line - name) : strlen(name));
        if (!file) {
            writer->err = -ENOMEM;
            return;
        }
        put_text(writer, file, KESCO_FILE_CELLS);
        kesco_put(writer, ":%u, ", line ? (unsigned)strtoul(line + 1, NULL, 10) : 0);
        free(file);
    } else if (op->line) {
        kesco_put(writer, "line %u, ", op->line);
    }
}

static void put_names(struct kesco_writer *writer, const char *verb, const char *const *names, size_t count,
                      kesco_put_text *put_text) {
    for (size_t i = 0; i < count; i++) {
        kesco_put(writer, "%s ", i ? "," : verb);
        put_text(writer, names[i], KESCO_UNCUT);
    }
}

void kesco_put_op_details(struct kesco_writer *writer, const struct kesco_report_op *op,
                          kesco_put_text *put_text) {
    put_text(writer, kesco_op_kind_name(op->kind), KESCO_UNCUT);
    kesco_put(writer, " ");
    put_text(writer, op->name, KESCO_UNCUT);
    kesco_put(writer, "; ");
    kesco_put_line(writer, op, put_text);
    kesco_put(writer, "issue %u; lane %u", op->order, op->lane);
    put_names(writer, "; reads", op->touched.reads, op->touched.read_count, put_text);
    put_names(writer, "; writes", op->touched.writes, op->touched.write_count, put_text);
    kesco_put(writer, "; priority %d; zone %u; region %u", op->priority, op->zone, op->region);
}

void kesco_put_edge(struct kesco_writer *writer, const struct kesco_report_edge *edge,
                    kesco_put_text *put_text, size_t cells) {
    kesco_put(writer, "%s ", kesco_edge_kind_name(edge->kind));
    put_text(writer, edge->object, cells);
}

bool kesco_barrier_is_repeated(const struct kesco_report_function *function, size_t barrier) {
    const struct kesco_report_barrier *list = function->stops.barriers, *other = &list[barrier];
    for (size_t i = 0; i < barrier; i++)
        if (list[i].line == other->line && strcmp(list[i].why, other->why) == 0)
            return true;
    return false;
}

/* An op's id and place in issue order. */
struct place {
    unsigned order;
    unsigned id;
};

static int compare_places(const void *left, const void *right) {
    const struct place *a = left, *b = right;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

unsigned *kesco_issue_sequence(const struct kesco_report_function *function) {
    struct place *places = calloc(function->op_count + 1, sizeof(*places));
    unsigned *sequence = calloc(function->op_count + 1, sizeof(*sequence));
    if (places && sequence) {
        for (size_t op = 0; op < function->op_count; op++)
            places[op] = (struct place){function->ops[op].order, (unsigned)op};
        qsort(places, function->op_count, sizeof(*places), compare_places);
        for (size_t i = 0; i < function->op_count; i++)
            sequence[i] = places[i].id;
    }
    free(places);
    return sequence;
}

/* Text that is broken into lines between words. */
struct paragraph {
    struct kesco_writer writer;
    size_t cells;  /* width of a line */
    size_t column; /* cells that the current line has */
};

static void start_line(struct paragraph *paragraph, const char *text) {
    kesco_put(&paragraph->writer, "%s", text);
    paragraph->column = strlen(text);
}

/* Puts a word, and a space before it unless it starts the line. */
static void put_word(struct paragraph *paragraph, const char *word, const char *after) {
    char *line = kesco_utf8_line(word, KESCO_UNCUT);
    if (!line) {
        paragraph->writer.err = -ENOMEM;
        return;
    }
    size_t width = 1 + kesco_utf8_cells(line) + strlen(after);
    if (paragraph->column + width > paragraph->cells) {
        kesco_put(&paragraph->writer, "\n");
        start_line(paragraph, "   ");
    }
    kesco_put(&paragraph->writer, " %s%s", line, after);
    paragraph->column += width;
    free(line);
}

static void end_line(struct paragraph *paragraph) {
    kesco_put(&paragraph->writer, "\n");
}

static void put_guards(struct paragraph *paragraph, const struct kesco_guard_sets *sets) {
    if (sets->count)
        kesco_put(&paragraph->writer,
                  "Guards: where ops may access the same bytes through two pointers of an "
                  "entry, the rest of the region runs serially:\n");
    for (size_t set = 0; set < sets->count; set++) {
        start_line(paragraph, "  -");
        for (size_t i = sets->start[set]; i < sets->start[set + 1]; i++)
            put_word(paragraph, sets->names[i], i + 1 < sets->start[set + 1] ? "," : "");
        end_line(paragraph);
    }
}

static void put_claims(struct paragraph *paragraph, const struct kesco_report_function *function) {
    if (function->assumed.claim_count)
        kesco_put(&paragraph->writer,
                  "Claims of the program that the plan relies on (KESCO_CHECK=1 checks them):\n");
    for (size_t i = 0; i < function->assumed.claim_count; i++) {
        const struct kesco_report_claim *claim = &function->assumed.claims[i];
        char line[32] = "  unknown line:";
        if (claim->line)
            snprintf(line, sizeof(line), "  line %u:", claim->line);
        start_line(paragraph, line);
        put_word(paragraph, claim->a, ",");
        put_word(paragraph, claim->b, "");
        end_line(paragraph);
    }
}

static void put_words(struct paragraph *paragraph, const char *text) {
    size_t length;
    for (; *text; text += length) {
        text += strspn(text, " ");
        length = strcspn(text, " ");
        char *word = strndup(text, length);
        if (!word)
            paragraph->writer.err = -ENOMEM;
        else if (length)
            put_word(paragraph, word, "");
        free(word);
    }
}

static void put_barriers(struct paragraph *paragraph, const struct kesco_report_function *function) {
    if (function->stops.barrier_count)
        kesco_put(&paragraph->writer,
                  "Barriers: ops before and behind one keep the order of the serial program:\n");
    for (size_t i = 0; i < function->stops.barrier_count && i < MOST_BARRIERS; i++) {
        char line[32] = "  unknown line:";
        if (function->stops.barriers[i].line)
            snprintf(line, sizeof(line), "  line %u:", function->stops.barriers[i].line);
        start_line(paragraph, line);
        put_words(paragraph, function->stops.barriers[i].why);
        end_line(paragraph);
    }
    if (function->stops.barrier_count > MOST_BARRIERS)
        kesco_put(&paragraph->writer, "  and %zu more\n", function->stops.barrier_count - MOST_BARRIERS);
}

static void put_placed(struct paragraph *paragraph, const struct kesco_report_function *function) {
    for (size_t i = 0; i < function->regions.placed_count; i++)
        kesco_put(
            &paragraph->writer,
            "Region %u: its ops get their lanes when the program issues them, by the bytes they access.\n",
            function->regions.placed[i]);
}

char *kesco_limits_text(const struct kesco_report_function *function, size_t cells) {
    struct kesco_guard_sets sets;
    char *text = NULL;
    size_t size;
    if (kesco_guard_sets_create(function, &sets))
        return NULL;
    struct paragraph paragraph = {.cells = cells, .writer.out = open_memstream(&text, &size)};
    if (paragraph.writer.out) {
        put_guards(&paragraph, &sets);
        put_claims(&paragraph, function);
        put_barriers(&paragraph, function);
        put_placed(&paragraph, function);
        int err = paragraph.writer.err;
        if (fclose(paragraph.writer.out) || err) {
            free(text);
            text = NULL;
        }
    }
    kesco_guard_sets_free(&sets);
    return text;
}
