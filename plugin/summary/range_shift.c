#include "plugin/summary/range_shift.h"

/* What the lesser and the greater of two are taken for: a number of its own, or one of the two throughout. */
enum choice { CHOICE_NEITHER, CHOICE_FIRST, CHOICE_SECOND, CHOICES };

/* Launches that differ in some arguments alone. */
struct launches {
    bool (*differs)(const void *context, const struct kesco_range_token *argument);
    const void *context;
    enum choice choice;
};

/* Of the golden ratio, as in Knuth, "The Art of Computer Programming", 6.4. */
#define MULTIPLIER UINT64_C(0x9e3779b97f4a7c15)

static uint64_t mix(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    const uint64_t all[] = {a, b, c, d};
    uint64_t mixed = 0;

    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        mixed = (mixed ^ all[i]) * MULTIPLIER;
        mixed ^= mixed >> 32;
    }
    return mixed;
}

/* A number that stands for the leaf, another one in each launch if it differs. */
static uint64_t leaf(const struct kesco_range_token *token, const struct launches *launches,
                     uint64_t launch) {
    if (token->kind == KESCO_RANGE_NUMBER)
        return (uint64_t)token->number;
    if (token->kind != KESCO_RANGE_ARGUMENT)
        return mix(token->kind, token->axis, 0, 0);
    return mix(token->parameter, token->offset, token->bits,
               launches->differs(launches->context, token) ? launch : 0);
}

/* Of the lesser and the greater, and of quotients, only that they are the same where their operands are. */
static uint64_t operate(const struct kesco_range_token *token, enum choice choice, uint64_t a, uint64_t b) {
    switch (token->kind) {
    case KESCO_RANGE_ADD:
        return a + b;
    case KESCO_RANGE_MULTIPLY:
        return a * b;
    case KESCO_RANGE_DIVIDE:
        return mix(token->kind, a, (uint64_t)token->number, 0);
    case KESCO_RANGE_RATIO:
        return mix(token->kind, a, b, 0);
    default:
        if (choice != CHOICE_NEITHER)
            return choice == CHOICE_FIRST ? a : b;
        return mix(token->kind, a < b ? a : b, a < b ? b : a, 0);
    }
}

/* The value, modulo 2^64, of the expression at `*text`, past which it moves. */
static uint64_t evaluate(const char **text, const struct launches *launches, uint64_t launch) {
    uint64_t stack[KESCO_RANGE_DEPTH + 1] = {0};
    struct kesco_range_token token;
    unsigned depth = 0;

    while (kesco_range_read(text, &token) > 0 && token.kind != KESCO_RANGE_NEXT) {
        const unsigned operands = kesco_range_operands(token.kind);

        depth -= operands;
        stack[depth] = operands == 0
                           ? leaf(&token, launches, launch)
                           : operate(&token, launches->choice, stack[depth], stack[depth + operands - 1]);
        depth++;
    }
    return stack[0];
}

static bool shifts(const char *text, const struct launches *launches) {
    const char *first = text, *second = text;
    const uint64_t begins = evaluate(&first, launches, 1) - evaluate(&second, launches, 2);
    const uint64_t ends = evaluate(&first, launches, 1) - evaluate(&second, launches, 2);

    return begins != 0 && begins == ends;
}

bool kesco_range_shifts(const char *text,
                        bool (*differs)(const void *context, const struct kesco_range_token *argument),
                        const void *context) {
    struct launches launches = {differs, context, CHOICE_NEITHER};

    (void)kesco_range_distances(&text);
    while (launches.choice < CHOICES && !shifts(text, &launches))
        launches.choice++;
    return launches.choice < CHOICES;
}
