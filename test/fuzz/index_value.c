#include "test/fuzz/index_value.h"

#include <inttypes.h>
#include <string.h>

#define TEXT(...) writer_text(&g->writer, __VA_ARGS__)

enum { LONGEST = 120 }; /* characters of an expression, beyond which it grows no more */

static const int64_t lowest[] = {INT32_MIN, 0, -(INT64_C(1) << 44)};
static const int64_t highest[] = {INT32_MAX, UINT32_MAX, INT64_C(1) << 44};

/* A type that arithmetic widens to int. */
struct narrow_type {
    const char *name;
    int64_t low, high;
};

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b) {
    return a > b ? a : b;
}

const char *index_type_name(enum index_type type) {
    static const char *const names[] = {"int", "unsigned", "long long"};

    return names[type];
}

void index_add(struct index_scope *scope, const char *name, enum index_type type, int64_t low, int64_t high) {
    scope->values[scope->count++] = (struct index_value){name, type, low, high};
}

/* False where the value may not be of its type. An unsigned one wraps instead. */
static bool settle(struct index_value *value) {
    if (value->low >= lowest[value->type] && value->high <= highest[value->type])
        return true;
    if (value->type != INDEX_UNSIGNED)
        return false;
    value->low = 0;
    value->high = UINT32_MAX;
    return true;
}

/* `value` in a type that holds it, as C++ converts: an int below 0 wraps where that is unsigned. */
static struct index_value convert(struct generator *g, struct index_value value, enum index_type type) {
    if (value.type == type)
        return value;
    value.text = TEXT("(%s)%s", index_type_name(type), value.text);
    value.type = type;
    if (value.low < lowest[type] || value.high > highest[type]) {
        value.low = lowest[type];
        value.high = highest[type];
    }
    return value;
}

static void to_common(struct generator *g, struct index_value *a, struct index_value *b) {
    const enum index_type type = a->type > b->type ? a->type : b->type;

    *a = convert(g, *a, type);
    *b = convert(g, *b, type);
}

static struct index_value constant(struct generator *g) {
    const int64_t number = random_percent(&g->random, 80) ? random_below(&g->random, 12)
                                                          : (int64_t)random_below(&g->random, 400) - 100;

    return random_percent(&g->random, 20) && number >= 0
               ? (struct index_value){TEXT("%" PRId64 "u", number), INDEX_UNSIGNED, number, number}
               : (struct index_value){TEXT("(%" PRId64 ")", number), INDEX_INT, number, number};
}

static struct index_value leaf(struct generator *g, const struct index_scope *scope) {
    if (random_percent(&g->random, 15))
        return constant(g);
    /* What came last is a loop's, or was made for this. */
    if (random_percent(&g->random, 40))
        return scope
            ->values[scope->count - 1 - random_below(&g->random, scope->count < 4 ? scope->count : 4)];
    return scope->values[random_below(&g->random, scope->count)];
}

static struct index_value add(struct generator *g, struct index_value a, struct index_value b) {
    return (struct index_value){TEXT("(%s + %s)", a.text, b.text), a.type, a.low + b.low, a.high + b.high};
}

static struct index_value subtract(struct generator *g, struct index_value a, struct index_value b) {
    return (struct index_value){TEXT("(%s - %s)", a.text, b.text), a.type, a.low - b.high, a.high - b.low};
}

/* Factors may be beyond what a product of 64 bits holds: then it has no bounds that settle. */
static struct index_value multiply(struct generator *g, struct index_value a, struct index_value b) {
    const double corners[] = {(double)a.low * (double)b.low, (double)a.low * (double)b.high,
                              (double)a.high * (double)b.low, (double)a.high * (double)b.high};
    struct index_value result = {TEXT("(%s * %s)", a.text, b.text), a.type, INT64_MAX, INT64_MIN};

    for (unsigned i = 0; i < 4; i++) {
        const int64_t corner = corners[i] > 0x1p60    ? INT64_C(1) << 60
                               : corners[i] < -0x1p60 ? -(INT64_C(1) << 60)
                                                      : (int64_t)corners[i];
        result.low = least(result.low, corner);
        result.high = most(result.high, corner);
    }
    return result;
}

static struct index_value least_or_most(struct generator *g, struct index_value a, struct index_value b) {
    if (random_percent(&g->random, 50))
        return (struct index_value){TEXT("min(%s, %s)", a.text, b.text), a.type, least(a.low, b.low),
                                    least(a.high, b.high)};
    return (struct index_value){TEXT("max(%s, %s)", a.text, b.text), a.type, most(a.low, b.low),
                                most(a.high, b.high)};
}

static struct index_value choose(struct generator *g, const struct index_scope *scope, struct index_value a,
                                 struct index_value b) {
    struct index_scope unused;

    return (struct index_value){
        TEXT("(%s ? %s : %s)", index_condition(g, scope, &unused, &unused), a.text, b.text), a.type,
        least(a.low, b.low), most(a.high, b.high)};
}

static struct index_value divide(struct generator *g, struct index_value a) {
    const int64_t by = 1 + random_below(&g->random, 9);

    return (struct index_value){TEXT("(%s / %" PRId64 ")", a.text, by), a.type, a.low / by, a.high / by};
}

static struct index_value remainder_of(struct generator *g, struct index_value a, int64_t by) {
    return (struct index_value){TEXT("(%s %% %" PRId64 ")", a.text, by), a.type,
                                a.low < 0 ? most(a.low, 1 - by) : 0, a.high > 0 ? least(a.high, by - 1) : 0};
}

static struct index_value mask(struct generator *g, struct index_value a, int64_t by) {
    return (struct index_value){TEXT("(%s & %" PRId64 ")", a.text, by), a.type, 0, by};
}

static struct index_value shift(struct generator *g, struct index_value a) {
    const unsigned by = random_below(&g->random, 5);

    if (random_percent(&g->random, 50))
        return (struct index_value){TEXT("(%s >> %u)", a.text, by), a.type, a.low >> by, a.high >> by};
    if (a.low < 0)
        return a;
    return (struct index_value){TEXT("(%s << %u)", a.text, by), a.type, a.low << by, a.high << by};
}

static struct index_value to_narrow(struct generator *g, struct index_value a, const struct narrow_type *to) {
    const bool fits = a.low >= to->low && a.high <= to->high;

    return (struct index_value){TEXT("(%s)%s", to->name, a.text), INDEX_INT, fits ? a.low : to->low,
                                fits ? a.high : to->high};
}

/* A cast that loses something, if there is one. */
static struct index_value narrow(struct generator *g, struct index_value a) {
    static const struct narrow_type to[] = {{"int", INT32_MIN, INT32_MAX},
                                            {"short", INT16_MIN, INT16_MAX},
                                            {"unsigned short", 0, UINT16_MAX},
                                            {"unsigned char", 0, UINT8_MAX},
                                            {"signed char", INT8_MIN, INT8_MAX}};
    enum { TYPES = sizeof to / sizeof *to };
    const unsigned first = random_below(&g->random, TYPES);

    for (unsigned i = 0; i < TYPES; i++) {
        const struct narrow_type *type = &to[(first + i) % TYPES];
        if (a.low < type->low || a.high > type->high)
            return to_narrow(g, a, type);
    }
    return to_narrow(g, a, &to[first]);
}

static struct index_value of_one(struct generator *g, struct index_value a) {
    switch (random_below(&g->random, 9)) {
    case 0:
        return divide(g, a);
    case 1:
        return remainder_of(g, a, 1 + random_below(&g->random, 70));
    case 2:
        return mask(g, a, (INT64_C(1) << random_below(&g->random, 8)) - 1);
    case 3:
        return shift(g, a);
    case 4:
    case 5:
        if (a.type != INDEX_INT || a.low == INT32_MIN)
            return a;
        return (struct index_value){TEXT("abs(%s)", a.text), INDEX_INT, 0, most(-a.low, a.high)};
    case 6:
        return convert(g, a, (enum index_type)random_below(&g->random, 3));
    default:
        return narrow(g, a);
    }
}

struct index_value index_expression(struct generator *g, const struct index_scope *scope, unsigned depth) {
    struct index_value a, b, result;

    if (depth == 0 || random_percent(&g->random, 10))
        return leaf(g, scope);
    a = index_expression(g, scope, depth - 1);
    if (random_percent(&g->random, 30)) {
        result = of_one(g, a);
    } else {
        b = index_expression(g, scope, random_below(&g->random, depth));
        to_common(g, &a, &b);
        switch (random_below(&g->random, 10)) {
        case 0:
        case 1:
            result = multiply(g, a, b);
            break;
        case 2:
        case 3:
            result = subtract(g, a, b);
            break;
        case 4:
            result = least_or_most(g, a, b);
            break;
        case 5:
            result = choose(g, scope, a, b);
            break;
        default:
            result = add(g, a, b);
        }
    }
    return settle(&result) && strlen(result.text) <= LONGEST ? result : a;
}

struct index_value index_within(struct generator *g, struct index_value value, int64_t low, int64_t high) {
    const int64_t nearest = low < 0 ? least(-low, high) : high;

    if (value.low >= low && value.high <= high)
        return value;
    if ((low < 0 || value.low >= 0) && random_percent(&g->random, 40))
        return remainder_of(g, value, nearest + 1);
    if (random_percent(&g->random, 40))
        return mask(g, value, (INT64_C(1) << (63 - __builtin_clzll((uint64_t)nearest))) - 1);
    value = convert(g, value, INDEX_LONG);
    return (struct index_value){TEXT("min(max(%s, %" PRId64 "ll), %" PRId64 "ll)", value.text, low, high),
                                INDEX_LONG, least(most(value.low, low), high),
                                least(most(value.high, low), high)};
}

enum relation { LESS, AT_MOST, MORE, AT_LEAST, EQUAL, UNEQUAL };

static const char *const relation_texts[] = {"<", "<=", ">", ">=", "==", "!="};

/* The bounds of value `which` where `relation` to something from `low` to `high` holds. Where it never does,
 * they stay: no code runs there. */
static void bound(struct index_scope *scope, unsigned which, enum relation relation, int64_t low,
                  int64_t high) {
    struct index_value value = scope->values[which];

    if (relation == LESS || relation == AT_MOST || relation == EQUAL)
        value.high = least(value.high, high - (relation == LESS));
    if (relation == MORE || relation == AT_LEAST || relation == EQUAL)
        value.low = most(value.low, low + (relation == MORE));
    if (value.low <= value.high)
        scope->values[which] = value;
}

static enum relation opposite(enum relation relation) {
    static const enum relation opposites[] = {AT_LEAST, MORE, AT_MOST, LESS, UNEQUAL, EQUAL};

    return opposites[relation];
}

/* A value of the scope against an expression, compared in a type that may be another than its own: only where
 * its bounds are the same there does the comparison say something of it. */
static const char *comparison(struct generator *g, const struct index_scope *scope,
                              struct index_scope *inside, struct index_scope *outside) {
    const struct index_scope before = *scope;
    const unsigned which = before.count - 1 - random_below(&g->random, before.count < 16 ? before.count : 16);
    const enum relation relation = (enum relation)random_below(&g->random, 6);
    struct index_value a = before.values[which], b = index_expression(g, &before, 1);
    const int64_t low = a.low, high = a.high;

    if (random_percent(&g->random, 15))
        a = convert(g, a, INDEX_UNSIGNED);
    to_common(g, &a, &b);
    *inside = before;
    *outside = before;
    if (a.low == low && a.high == high) {
        bound(inside, which, relation, b.low, b.high);
        bound(outside, which, opposite(relation), b.low, b.high);
    }
    return random_percent(&g->random, 80)
               ? TEXT("%s %s %s", a.text, relation_texts[relation], b.text)
               : TEXT("!(%s %s %s)", a.text, relation_texts[opposite(relation)], b.text);
}

const char *index_condition(struct generator *g, const struct index_scope *scope, struct index_scope *inside,
                            struct index_scope *outside) {
    const struct index_scope before = *scope;
    struct index_scope first_out, second_out, both;
    const char *first = comparison(g, &before, &both, &first_out), *second;
    const bool either = random_percent(&g->random, 30);

    if (random_percent(&g->random, 60)) {
        *inside = both;
        *outside = first_out;
        return first;
    }
    /* Of "a or b" nothing is known where it holds, of "a and b" where it does not. */
    second = comparison(g, either ? &first_out : &both, &both, &second_out);
    *inside = either ? before : both;
    *outside = either ? second_out : before;
    return TEXT("(%s %s %s)", first, either ? "||" : "&&", second);
}
