#include "plugin/messages/describe_range.h"

#include "plugin/schedule/arena.h"
#include "plugin/summary/range.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer expressions than this nobody reads. */
enum { MOST_LETTERS = 100 };

/* What binds an expression. */
enum binding { SUM, PRODUCT, WHOLE };

/* An expression as it is written. */
struct written {
    const char *text;
    enum binding bound;
    bool is_number;
    /* Of a number times the lesser of two: that number, and the lesser if both were one more; "" for others.
     */
    const char *factor, *one_more;
};

struct writer {
    struct kesco_arena memory;
    bool failed; /* there was no memory */
    const struct kesco_range_names *names;
};

__attribute__((format(printf, 2, 3))) static const char *print(struct writer *writer, const char *format,
                                                               ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *text = kesco_arena_vprint(&writer->memory, format, arguments);
    va_end(arguments);
    writer->failed |= !text;
    return text ? text : "";
}

static struct written make(const char *text, enum binding bound) {
    return (struct written){.text = text, .bound = bound, .factor = "", .one_more = ""};
}

/* The same as an operand of what binds as `around` does. */
static const char *within(struct writer *writer, const struct written *w, enum binding around) {
    const bool is_apart = w->bound < around || (around == PRODUCT && w->text[0] == '-');
    return is_apart ? print(writer, "(%s)", w->text) : w->text;
}

static struct written add(struct writer *writer, const struct written *a, const struct written *b) {
    const struct written *first = a->is_number && !b->is_number ? b : a, *second = first == a ? b : a;
    if (first->one_more[0] && strcmp(first->factor, second->text) == 0)
        return make(print(writer, "%s*%s", first->factor, first->one_more), PRODUCT);
    if (first->text[0] == '-' && second->text[0] != '-' && first->bound != SUM)
        return make(print(writer, "%s - %s", second->text, first->text + 1), SUM);
    if (second->text[0] == '-' && second->bound != SUM)
        return make(print(writer, "%s - %s", first->text, second->text + 1), SUM);
    return make(print(writer, "%s + %s", first->text, second->text), SUM);
}

static struct written multiply(struct writer *writer, const struct written *a, const struct written *b) {
    const struct written *first = b->is_number ? b : a, *second = b->is_number ? a : b;
    if (strcmp(first->text, "-1") == 0)
        return make(print(writer, "-%s", within(writer, second, PRODUCT)), PRODUCT);
    const char *left = first->is_number ? first->text : within(writer, first, PRODUCT);
    const bool is_lesser = first->is_number && strcmp(second->factor, "1") == 0;
    struct written product = make(
        print(writer, "%s*%s", left, is_lesser ? second->text : within(writer, second, PRODUCT)), PRODUCT);
    if (is_lesser) {
        product.factor = first->text;
        product.one_more = second->one_more;
    }
    return product;
}

/* Plus one, if it is a number, or something less one; else "". */
static const char *one_more_than(struct writer *writer, const struct written *a) {
    static const char less_one[] = " - 1";
    const size_t length = strlen(a->text), end = sizeof(less_one) - 1;
    const int64_t number = a->is_number ? strtoll(a->text, NULL, 10) : INT64_MAX;
    if (number < INT64_MAX)
        return print(writer, "%" PRId64, number + 1);
    if (length >= end && strcmp(a->text + length - end, less_one) == 0)
        return print(writer, "%.*s", (int)(length - end), a->text);
    return "";
}

static struct written lesser(struct writer *writer, const struct written *a, const struct written *b) {
    const char *first = one_more_than(writer, a), *second = one_more_than(writer, b);
    struct written least = make(print(writer, "min(%s, %s)", a->text, b->text), WHOLE);
    if (first[0] && second[0]) {
        least.factor = "1";
        least.one_more = print(writer, "min(%s, %s)", first, second);
    }
    return least;
}

static struct written leaf(struct writer *writer, const struct kesco_range_token *token) {
    switch (token->kind) {
    case KESCO_RANGE_ARGUMENT: {
        char *name = writer->names->name(writer->names->context, token->parameter, token->offset);
        const struct written argument = make(name ? print(writer, "%s", name) : "", WHOLE);
        writer->failed |= !name;
        free(name);
        return argument;
    }
    case KESCO_RANGE_BLOCK:
        return make(print(writer, "blockDim.%c", "xyz"[token->axis]), WHOLE);
    case KESCO_RANGE_GRID:
        return make(print(writer, "gridDim.%c", "xyz"[token->axis]), WHOLE);
    default: {
        struct written number = make(print(writer, "%" PRId64, token->number), WHOLE);
        number.is_number = true;
        return number;
    }
    }
}

static struct written operate(struct writer *writer, const struct kesco_range_token *token,
                              const struct written *a, const struct written *b) {
    switch (token->kind) {
    case KESCO_RANGE_ADD:
        return add(writer, a, b);
    case KESCO_RANGE_MULTIPLY:
        return multiply(writer, a, b);
    case KESCO_RANGE_LEAST:
        return lesser(writer, a, b);
    case KESCO_RANGE_RATIO:
        return make(print(writer, "%s/(%s)", within(writer, a, PRODUCT), b->text), PRODUCT);
    default:
        return make(print(writer, "max(%s, %s)", a->text, b->text), WHOLE);
    }
}

/* The expression at `*text`, and moves past it. */
static const char *read_expression(struct writer *writer, const char **text) {
    struct written stack[KESCO_RANGE_DEPTH];
    struct kesco_range_token token;
    size_t depth = 0;
    while (kesco_range_read(text, &token) > 0 && token.kind != KESCO_RANGE_NEXT) {
        if (token.kind < KESCO_RANGE_ADD && depth < KESCO_RANGE_DEPTH) {
            stack[depth++] = leaf(writer, &token);
        } else if (token.kind == KESCO_RANGE_DIVIDE && depth > 0) {
            const char *divided = within(writer, &stack[depth - 1], PRODUCT);
            stack[depth - 1] = make(print(writer, "%s/%" PRId64, divided, token.number), PRODUCT);
        } else if (depth > 1) {
            depth--;
            stack[depth - 1] = operate(writer, &token, &stack[depth - 1], &stack[depth]);
        }
    }
    return depth > 0 ? stack[0].text : ""; /* a valid range has operands */
}

/* The part that `text` begins with. */
static const char *describe_part(struct writer *writer, const char *text) {
    const unsigned distances = kesco_range_distances(&text);
    const char *terms[2] = {"", ""}, *pieces = "";
    for (unsigned i = 0; i < 2; i++)
        terms[i] = read_expression(writer, &text);
    for (unsigned i = 0; i < distances; i++) {
        const char *distance = read_expression(writer, &text);
        (void)read_expression(writer, &text); /* where one begins */
        const char *length = read_expression(writer, &text);
        if (strlen(distance) + strlen(length) <= MOST_LETTERS)
            pieces = print(writer, "%s, %s of each %s bytes", pieces, length, distance);
    }
    const bool is_short = strlen(terms[0]) + strlen(terms[1]) <= MOST_LETTERS;
    return is_short ? print(writer, "[%s .. %s bytes%s)", terms[0], terms[1], pieces) : "";
}

char *kesco_describe_range(const char *text, const struct kesco_range_names *names) {
    struct writer writer = {.names = names};
    const char *all = describe_part(&writer, text);
    while (all[0] && kesco_range_next_part(&text)) {
        const char *next = describe_part(&writer, text);
        all = next[0] ? print(&writer, "%s and %s", all, next) : "";
    }
    char *result = writer.failed ? NULL : strdup(all);
    kesco_arena_free(&writer.memory);
    return result;
}
