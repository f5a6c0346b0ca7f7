#include "plugin/summary/range.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Reads digits, with a sign where `is_signed`. Moves `at` past them. */
static bool read_number(const char **at, bool is_signed, int64_t *number) {
    const char *digits = *at + (is_signed && **at == '-');
    char *end;

    if (!isdigit((unsigned char)*digits))
        return false;
    errno = 0;
    *number = strtoll(*at, &end, 10);
    *at = end;
    return errno == 0;
}

static bool read_index(const char **at, char stop, uint32_t *index) {
    int64_t number;

    if (!read_number(at, false, &number) || number > UINT32_MAX || (stop && **at != stop))
        return false;
    *index = (uint32_t)number;
    *at += stop != 0;
    return true;
}

static bool read_argument(const char **at, struct kesco_range_token *token) {
    ++*at;
    token->kind = KESCO_RANGE_ARGUMENT;
    return read_index(at, ':', &token->parameter) && read_index(at, ':', &token->offset) &&
           read_index(at, 0, &token->bits) &&
           (token->bits == 8 || token->bits == 16 || token->bits == 32 || token->bits == 64);
}

static bool read_axis(const char **at, struct kesco_range_token *token) {
    static const char axes[] = "xyz";
    const char *axis = (*at)[1] ? strchr(axes, (*at)[1]) : NULL;

    token->kind = **at == 'b' ? KESCO_RANGE_BLOCK : KESCO_RANGE_GRID;
    token->axis = axis ? (unsigned)(axis - axes) : 0;
    *at += axis ? 2 : 0;
    return axis;
}

static bool read_divisor(const char **at, struct kesco_range_token *token) {
    ++*at;
    token->kind = KESCO_RANGE_DIVIDE;
    return read_number(at, false, &token->number) && token->number > 0;
}

static bool read_operator(const char **at, struct kesco_range_token *token) {
    static const char letters[] = "+*mMd";
    const char *letter = strchr(letters, **at);

    if (!letter)
        return false;
    ++*at;
    token->kind = KESCO_RANGE_ADD + (enum kesco_range_kind)(letter - letters);
    return true;
}

static bool read_token(const char **at, struct kesco_range_token *token) {
    switch (**at) {
    case 'a':
        return read_argument(at, token);
    case 'b':
    case 'g':
        return read_axis(at, token);
    case '/':
        return read_divisor(at, token);
    case '+':
    case '*':
    case 'm':
    case 'M':
    case 'd':
        return read_operator(at, token);
    default:
        token->kind = KESCO_RANGE_NUMBER;
        return read_number(at, true, &token->number);
    }
}

static bool is_end(char letter) {
    return letter == 0 || letter == '|';
}

/* 1 where a token may begin at `at`. */
static int begins_token(const char *at) {
    return !is_end(*at) && *at != ';' && *at != ',' ? 1 : -EBADMSG;
}

int kesco_range_read(const char **text, struct kesco_range_token *token) {
    memset(token, 0, sizeof *token);
    if (is_end(**text))
        return 0;
    if (**text == ';') {
        token->kind = KESCO_RANGE_NEXT;
        return begins_token(++*text);
    }
    if (!read_token(text, token))
        return -EBADMSG;
    if (**text == ',')
        return begins_token(++*text);
    return is_end(**text) || **text == ';' ? 1 : -EBADMSG;
}

unsigned kesco_range_operands(enum kesco_range_kind kind) {
    switch (kind) {
    case KESCO_RANGE_ADD:
    case KESCO_RANGE_MULTIPLY:
    case KESCO_RANGE_LEAST:
    case KESCO_RANGE_GREATEST:
    case KESCO_RANGE_RATIO:
        return 2;
    case KESCO_RANGE_DIVIDE:
        return 1;
    default:
        return 0;
    }
}

unsigned kesco_range_distances(const char **text) {
    unsigned distances = 0;

    while (distances < KESCO_RANGE_DISTANCES && (*text)[distances] == 'r')
        distances++;
    *text += distances;
    return distances;
}

bool kesco_range_next_part(const char **text) {
    *text += strcspn(*text, "|");
    if (**text == 0)
        return false;
    ++*text;
    return true;
}

unsigned kesco_range_terms(unsigned distances) {
    return 2 + 3 * distances;
}

static bool is_valid_part(const char *text) {
    const unsigned needed = kesco_range_terms(kesco_range_distances(&text));
    struct kesco_range_token token;
    unsigned depth = 0, tokens = 0, expressions = 1;
    int more;

    while ((more = kesco_range_read(&text, &token)) > 0 && tokens++ < KESCO_RANGE_TOKENS) {
        if (token.kind == KESCO_RANGE_NEXT) {
            if (depth != 1)
                return false;
            depth = 0;
            expressions++;
            continue;
        }
        if (depth < kesco_range_operands(token.kind))
            return false;
        depth = depth - kesco_range_operands(token.kind) + 1;
        if (depth > KESCO_RANGE_DEPTH)
            return false;
    }
    return more == 0 && depth == 1 && expressions >= needed;
}

bool kesco_range_is_valid(const char *text) {
    unsigned parts = 0;

    do {
        if (++parts > KESCO_RANGE_PARTS || !is_valid_part(text))
            return false;
    } while (kesco_range_next_part(&text));
    return true;
}

static int64_t divide_down(int64_t value, int64_t by) {
    return value / by - (value % by < 0);
}

/* The value of an operator; false where that is too large. */
static bool operate(const struct kesco_range_token *token, int64_t a, int64_t b, int64_t *value) {
    switch (token->kind) {
    case KESCO_RANGE_ADD:
        return !__builtin_add_overflow(a, b, value);
    case KESCO_RANGE_MULTIPLY:
        return !__builtin_mul_overflow(a, b, value);
    case KESCO_RANGE_LEAST:
        *value = a < b ? a : b;
        return true;
    case KESCO_RANGE_GREATEST:
        *value = a > b ? a : b;
        return true;
    case KESCO_RANGE_RATIO:
        *value = b > 0 ? divide_down(a, b) : 0;
        return true;
    default:
        if (token->number <= 0)
            return false;
        *value = divide_down(a, token->number);
        return true;
    }
}

static int leaf(const struct kesco_range_token *token, const struct kesco_range_launch *launch,
                int64_t *value) {
    switch (token->kind) {
    case KESCO_RANGE_ARGUMENT:
        return launch->argument(launch->context, token->parameter, token->offset, token->bits, value)
                   ? 0
                   : -ENOENT;
    case KESCO_RANGE_BLOCK:
        *value = launch->block[token->axis];
        return 0;
    case KESCO_RANGE_GRID:
        *value = launch->grid[token->axis];
        return 0;
    default:
        *value = token->number;
        return 0;
    }
}

/* Moves past the expression at `*text`. */
static void skip(const char **text) {
    struct kesco_range_token token;

    while (kesco_range_read(text, &token) > 0 && token.kind != KESCO_RANGE_NEXT)
        ;
}

/* Evaluates the expression at `*text` and moves past it. */
static int evaluate(const char **text, const struct kesco_range_launch *launch, int64_t *result) {
    int64_t stack[KESCO_RANGE_DEPTH + 1] = {0};
    struct kesco_range_token token;
    unsigned depth = 0;

    while (kesco_range_read(text, &token) > 0 && token.kind != KESCO_RANGE_NEXT) {
        unsigned operands = kesco_range_operands(token.kind);
        int err = 0;

        depth -= operands;
        if (operands == 0)
            err = leaf(&token, launch, &stack[depth]);
        else if (!operate(&token, stack[depth], stack[depth + operands - 1], &stack[depth]))
            err = -ERANGE;
        if (err) {
            skip(text);
            return err;
        }
        depth++;
    }
    *result = stack[0];
    return 0;
}

/* At one distance. What cannot be evaluated says nothing, where all that is needed is there. */
static int evaluate_places(const char **text, const struct kesco_range_launch *launch,
                           struct kesco_places *places) {
    int64_t terms[3] = {0}; /* distance, first, length */
    bool are_known = true;

    for (unsigned i = 0; i < 3; i++) {
        const int err = evaluate(text, launch, &terms[i]);

        if (err == -ENOENT)
            return err;
        are_known &= err == 0;
    }
    *places = are_known ? (struct kesco_places){terms[1], terms[0], terms[2]} : (struct kesco_places){0};
    return 0;
}

int kesco_range_evaluate(const char *text, const struct kesco_range_launch *launch,
                         struct kesco_pieces *bytes) {
    const unsigned distances = kesco_range_distances(&text);
    struct kesco_places places[KESCO_RANGE_DISTANCES] = {{0}};
    int64_t begin = 0, end = 0, condition = 0;
    int err = evaluate(&text, launch, &begin);

    if (!err)
        err = evaluate(&text, launch, &end);
    for (unsigned i = 0; i < distances && !err; i++)
        err = evaluate_places(&text, launch, &places[i]);
    *bytes = kesco_pieces_within(begin, end, places, distances);
    while (!err && !is_end(*text)) {
        err = evaluate(&text, launch, &condition);
        if (!err && condition < 0)
            err = -ERANGE;
    }
    return err;
}
