#include "plugin/assembly/assembly_flow.h"

void kesco_assembly_flow_begin(struct kesco_assembly_flow *f) {
    const struct kesco_ptx *text = f->text;
    const size_t variables = f->given_count + text->register_count;
    f->definitions.items =
        kesco_assembly_take(f->memory, text->statement_count * sizeof(*f->definitions.items));
    /* a copy has two */
    f->accesses.items =
        kesco_assembly_take(f->memory, 2 * text->statement_count * sizeof(*f->accesses.items));
    /* those that are computed, and those that are mixed */
    f->mixed.items = kesco_assembly_take(f->memory, 2 * text->operand_count * sizeof(*f->mixed.items));
    f->leaving.items = kesco_assembly_take(f->memory, text->operand_count * sizeof(*f->leaving.items));
    f->values = kesco_assembly_take(f->memory, variables * sizeof(*f->values));
    f->in_parts = kesco_assembly_take(f->memory, variables * sizeof(*f->in_parts));
}

/* Values: those that are new are of the memory `to`. */

static struct kesco_assembly_value value_of_term(const struct kesco_assembly_flow *f,
                                                 struct kesco_assembly_memory *to,
                                                 const struct kesco_ptx_term *t) {
    switch (t->kind) {
    case KESCO_PTX_ASM_OPERAND:
        return t->index < f->given_count ? f->values[t->index]
                                         : kesco_assembly_single(to, KESCO_ASSEMBLY_ANYTHING, 0);
    case KESCO_PTX_REGISTER:
        return f->values[f->given_count + t->index];
    default:
        return t->kind == KESCO_PTX_INTEGER && t->bits == 0
                   ? kesco_assembly_zero(to)
                   : kesco_assembly_single(to, KESCO_ASSEMBLY_NUMBER, 0);
    }
}

/* The sum of the terms of an element of the operand. */
static struct kesco_assembly_value value_of_element(const struct kesco_assembly_flow *f,
                                                    struct kesco_assembly_memory *to,
                                                    const struct kesco_ptx_operand *o, unsigned element) {
    struct kesco_assembly_value sum = kesco_assembly_zero(to);
    for (size_t i = 0; i < o->term_count; i++)
        if (o->terms[i].element == element)
            sum = kesco_assembly_sum_of(to, sum, value_of_term(f, to, &o->terms[i]));
    return sum;
}

/* The sum of all elements. */
static struct kesco_assembly_value value_of_operand(const struct kesco_assembly_flow *f,
                                                    struct kesco_assembly_memory *to,
                                                    const struct kesco_ptx_operand *o) {
    struct kesco_assembly_value sum = kesco_assembly_zero(to);
    for (unsigned i = 0; i < o->elements; i++)
        sum = kesco_assembly_sum_of(to, sum, value_of_element(f, to, o, i));
    return sum;
}

/* Any of the elements of any of all. */
static struct kesco_assembly_value choice_of(const struct kesco_assembly_flow *f,
                                             struct kesco_assembly_memory *to,
                                             struct kesco_assembly_operands all) {
    struct kesco_assembly_value choice = {0};
    for (size_t i = 0; i < all.count; i++)
        for (unsigned e = 0; e < all.items[i]->elements; e++)
            kesco_assembly_merge(to, &choice, value_of_element(f, to, all.items[i], e));
    return choice;
}

static struct kesco_assembly_value address_of(const struct kesco_assembly_flow *f,
                                              struct kesco_assembly_memory *to, unsigned access) {
    return value_of_element(f, to, f->accesses.items[access].address, 0);
}

/* What the access may load. */
static struct kesco_assembly_value loaded_by(const struct kesco_assembly_flow *f,
                                             struct kesco_assembly_memory *to, unsigned access) {
    const struct kesco_assembly_value address = address_of(f, to, access);
    if (address.count == 0)
        return address;
    if (kesco_assembly_follows_loaded(address))
        return kesco_assembly_single(to, KESCO_ASSEMBLY_ANYTHING, 0);
    return kesco_assembly_single(to, KESCO_ASSEMBLY_LOADED, access);
}

static struct kesco_assembly_value defined_by(const struct kesco_assembly_flow *f,
                                              struct kesco_assembly_memory *to,
                                              const struct kesco_assembly_definition *d) {
    if (d->kind == KESCO_ASSEMBLY_CHOICE)
        return choice_of(f, to, d->from);
    if (d->kind == KESCO_ASSEMBLY_SOURCE)
        return d->source.kind == KESCO_ASSEMBLY_LOADED ? loaded_by(f, to, d->source.index)
                                                       : kesco_assembly_single(to, d->source.kind, 0);
    struct kesco_assembly_value sum = kesco_assembly_zero(to);
    for (size_t i = 0; i < d->from.count; i++)
        sum = kesco_assembly_sum_of(to, sum, value_of_operand(f, to, d->from.items[i]));
    return sum;
}

/* Returns whether that was new to the variable. */
static bool add(struct kesco_assembly_flow *f, size_t variable, struct kesco_assembly_value more) {
    struct kesco_assembly_value *known = &f->values[variable];
    const size_t before = known->count;
    if (f->in_parts[variable])
        kesco_assembly_add_parts(f->memory, known, more);
    else
        kesco_assembly_merge(f->memory, known, more);
    if (f->in_parts[variable] || known->count <= KESCO_ASSEMBLY_MOST_SUMS)
        return known->count != before;
    const struct kesco_assembly_value whole = *known;
    *known = (struct kesco_assembly_value){0};
    f->in_parts[variable] = true;
    kesco_assembly_add_parts(f->memory, known, whole);
    return true;
}

static bool add_source(struct kesco_assembly_flow *f, size_t variable, enum kesco_assembly_source_kind kind,
                       unsigned index) {
    return add(f, variable, kesco_assembly_single(f->memory, kind, index));
}

/* Returns whether a variable has got more. */
static bool apply(struct kesco_assembly_flow *f, const struct kesco_assembly_definition *d) {
    struct kesco_assembly_memory scratch = {0};
    const struct kesco_assembly_value more = defined_by(f, &scratch, d);
    bool changed = false;
    for (size_t i = 0; i < d->count; i++)
        changed |= add(f, d->variables[i], more);
    f->memory->has_failed |= scratch.has_failed;
    kesco_arena_free(&scratch.arena);
    return changed && !f->memory->has_failed;
}

static void find_values(struct kesco_assembly_flow *f) {
    const size_t variables = f->given_count + f->text->register_count;
    for (size_t i = 0; i < f->given_count; i++)
        if (f->given[i].is_given)
            add_source(f, i, KESCO_ASSEMBLY_ARGUMENT, f->given[i].argument);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < f->definitions.count; i++)
            changed |= apply(f, &f->definitions.items[i]);
        /* What has no value by now is read as it was before the statement. */
        for (size_t i = 0; i < variables && !changed; i++)
            if (f->values[i].count == 0)
                changed = add_source(f, i, KESCO_ASSEMBLY_ANYTHING, 0);
    }
}

static bool is_deep(const struct kesco_assembly_flow *f, struct kesco_assembly_sum sum) {
    for (size_t i = 0; i < sum.count; i++)
        if (sum.sources[i].kind == KESCO_ASSEMBLY_LOADED &&
            kesco_assembly_follows_loaded(address_of(f, f->memory, sum.sources[i].index)))
            return true;
    return false;
}

/* What is loaded through what is loaded may be anything. */
static struct kesco_assembly_value settle(const struct kesco_assembly_flow *f,
                                          struct kesco_assembly_value value) {
    struct kesco_assembly_value settled = {0};
    for (size_t i = 0; i < value.count; i++)
        kesco_assembly_merge(f->memory, &settled,
                             is_deep(f, value.sums[i])
                                 ? kesco_assembly_single(f->memory, KESCO_ASSEMBLY_ANYTHING, 0)
                                 : (struct kesco_assembly_value){.sums = &value.sums[i], .count = 1});
    return settled;
}

/* Distances: what is nothing but a number is none. */
static void add_distances(const struct kesco_assembly_flow *f, struct kesco_assembly_value *to,
                          struct kesco_assembly_value value) {
    value = settle(f, value);
    if (!kesco_assembly_is_number(value))
        kesco_assembly_merge(f->memory, to, value);
}

static void close_accesses(const struct kesco_assembly_flow *f, struct kesco_assembly_effects *effects) {
    effects->accesses = kesco_assembly_take(f->memory, f->accesses.count * sizeof(*effects->accesses));
    for (unsigned i = 0; effects->accesses && i < f->accesses.count; i++) {
        const struct kesco_open_access *open = &f->accesses.items[i];
        struct kesco_assembly_value stored = choice_of(f, f->memory, open->stored);
        kesco_assembly_merge(f->memory, &stored, open->stored_also);
        effects->accesses[effects->access_count++] = (struct kesco_assembly_access){
            .address = settle(f, address_of(f, f->memory, i)),
            .effect = open->effect,
            .in_block = open->in_block,
            .stored = settle(f, stored),
        };
        if (kesco_assembly_has(effects->accesses[i].address, KESCO_ASSEMBLY_ANYTHING))
            effects->flags |= KESCO_ASSEMBLY_FOLLOWS;
    }
}

void kesco_assembly_flow_solve(struct kesco_assembly_flow *f, struct kesco_assembly_effects *effects) {
    find_values(f);
    close_accesses(f, effects);
    effects->results = kesco_assembly_take(f->memory, f->given_count * sizeof(*effects->results));
    for (size_t i = 0; effects->results && i < f->given_count; i++)
        if (f->given[i].is_output && !f->given[i].is_memory)
            effects->results[effects->result_count++] = settle(f, f->values[i]);
    for (size_t i = 0; i < f->mixed.count; i++)
        add_distances(f, &effects->mixed, value_of_operand(f, f->memory, f->mixed.items[i]));
    add_distances(f, &effects->leaving, choice_of(f, f->memory, f->leaving));
}
