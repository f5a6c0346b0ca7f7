#include "plugin/assembly/assembly.h"

#include "plugin/assembly/assembly_flow.h"
#include "plugin/assembly/instruction_kind.h"
#include "plugin/summary/summary.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* A statement that is read. */
struct reader {
    struct kesco_assembly_flow flow;
    struct kesco_assembly_effects *effects;
};

static void not_understood(struct reader *r, const char *what, const char *name) {
    if (r->effects->not_understood)
        return;
    const size_t size = strlen(what) + strlen(name) + sizeof(" ''");
    char *text = kesco_assembly_take(r->flow.memory, size);
    if (text)
        snprintf(text, size, "%s%s%s%s", what, *name ? " '" : "", name, *name ? "'" : "");
    r->effects->not_understood = text;
}

static bool has_part(const struct kesco_ptx_statement *s, const char *part) {
    return kesco_ptx_has_part(s->name, part);
}

static bool has_any_part(const struct kesco_ptx_statement *s, const char *const *parts, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (has_part(s, parts[i]))
            return true;
    return false;
}

/* Operands */

static bool is_memory(const struct reader *r, const struct kesco_ptx_term *t) {
    return t->kind == KESCO_PTX_ASM_OPERAND && t->index < r->flow.given_count &&
           r->flow.given[t->index].is_memory;
}

static bool names_memory(const struct reader *r, const struct kesco_ptx_operand *o) {
    for (size_t i = 0; i < o->term_count; i++)
        if (is_memory(r, &o->terms[i]))
            return true;
    return false;
}

/* An operand that is printed with brackets around it has none in the text. */
static bool is_address(const struct reader *r, const struct kesco_ptx_operand *o) {
    if (o->form != KESCO_PTX_VALUE || o->term_count != 1)
        return o->form == KESCO_PTX_ADDRESS && !names_memory(r, o);
    return is_memory(r, &o->terms[0]) && !o->terms[0].negative && !*o->terms[0].part;
}

static void check_term(struct reader *r, const struct kesco_ptx_term *t) {
    if (t->kind == KESCO_PTX_NAME && strcmp(t->name, "_") != 0 && !kesco_is_special_register(t->name))
        not_understood(r, "name", t->name);
    if (t->kind == KESCO_PTX_ASM_OPERAND && t->index >= r->flow.given_count)
        not_understood(r, "an operand that it is not given", "");
}

static void check_operand(struct reader *r, const struct kesco_ptx_operand *o) {
    for (size_t i = 0; i < o->term_count; i++)
        check_term(r, &o->terms[i]);
    if (names_memory(r, o) && !is_address(r, o))
        not_understood(r, "memory among other operands", "");
}

/* An address of the statement, counted from 0; NULL if it has none. */
static const struct kesco_ptx_operand *address_of(struct reader *r, const struct kesco_ptx_statement *s,
                                                  unsigned index) {
    for (size_t i = 0; i < s->operand_count; i++)
        if (is_address(r, &s->operands[i]) && index-- == 0)
            return &s->operands[i];
    not_understood(r, "an access without an address", "");
    return NULL;
}

/* What is no address, from the operand number `first` on. */
static struct kesco_assembly_operands values_of(struct reader *r, const struct kesco_ptx_statement *s,
                                                size_t first) {
    struct kesco_assembly_operands found = {0};
    found.items = kesco_assembly_take(r->flow.memory, s->operand_count * sizeof(*found.items));
    for (size_t i = first; found.items && i < s->operand_count; i++)
        if (!is_address(r, &s->operands[i]))
            found.items[found.count++] = &s->operands[i];
    return found;
}

static void append(struct kesco_assembly_operands *to, struct kesco_assembly_operands more, size_t first,
                   size_t end) {
    for (size_t i = first; i < more.count && i < end; i++)
        to->items[to->count++] = more.items[i];
}

/* Definitions */

/* A new one of what the first operand of the statement names; NULL without memory. */
static struct kesco_assembly_definition *define(struct reader *r, const struct kesco_ptx_statement *s) {
    struct kesco_assembly_definition *d = &r->flow.definitions.items[r->flow.definitions.count++];
    const struct kesco_ptx_operand *to = s->operands;
    if (s->operand_count == 0 || is_address(r, to))
        return d;
    d->variables = kesco_assembly_take(r->flow.memory, to->term_count * sizeof(*d->variables));
    for (size_t i = 0; d->variables && i < to->term_count; i++) {
        const struct kesco_ptx_term *t = &to->terms[i];
        if (t->kind == KESCO_PTX_REGISTER)
            d->variables[d->count++] = (unsigned)r->flow.given_count + t->index;
        else if (t->kind == KESCO_PTX_ASM_OPERAND && t->index < r->flow.given_count)
            d->variables[d->count++] = t->index;
    }
    return d;
}

static void define_as(struct reader *r, const struct kesco_ptx_statement *s,
                      enum kesco_assembly_source_kind kind, unsigned index) {
    struct kesco_assembly_definition *d = define(r, s);
    d->kind = KESCO_ASSEMBLY_SOURCE;
    d->source = (struct kesco_assembly_source){kind, index};
}

/* True for a mask that leaves the upper half of an address as it is. */
static bool keeps_address(const struct kesco_ptx_operand *o) {
    return o->term_count == 1 && o->terms[0].kind == KESCO_PTX_INTEGER &&
           (o->terms[0].negative || o->terms[0].bits > UINT32_MAX);
}

static bool mixes_all(enum kesco_instruction kind, struct kesco_assembly_operands from) {
    if (kind != KESCO_PTX_MASK)
        return kind == KESCO_PTX_MIXTURE;
    for (size_t i = 0; i < from.count; i++)
        if (keeps_address(from.items[i]))
            return false;
    return true;
}

static void compute(struct reader *r, enum kesco_instruction kind, const struct kesco_ptx_statement *s) {
    struct kesco_assembly_operands from = values_of(r, s, 1), *mixed = &r->flow.mixed;
    if (kind == KESCO_PTX_FIRST && from.count > 1)
        from.count = 1;
    if (kind == KESCO_PTX_CHOICE && from.count > 2)
        from.count = 2;
    struct kesco_assembly_definition *d = define(r, s);
    /* Two addresses are beside each other in 128 bits. */
    d->kind = kind == KESCO_PTX_CHOICE || has_part(s, "b128") ? KESCO_ASSEMBLY_CHOICE : KESCO_ASSEMBLY_SUM;
    d->from = from;
    if (mixes_all(kind, from))
        append(mixed, from, 0, from.count);
    else if (kind == KESCO_PTX_PRODUCT)
        append(mixed, from, 0, 2);
    else if (kind == KESCO_PTX_DIFFERENCE)
        append(mixed, from, 1, from.count);
}

static void jump(struct reader *r, const struct kesco_ptx_statement *s) {
    if (s->operand_count != 1 || s->operands[0].term_count != 1 ||
        s->operands[0].terms[0].kind != KESCO_PTX_LABEL)
        not_understood(r, "a jump that leaves it", "");
    else if (s->operands[0].terms[0].index <= (size_t)(s - r->flow.text->statements))
        r->effects->flags |= KESCO_ASSEMBLY_LOOPS;
}

/* Memory */

static void anywhere(struct reader *r, unsigned effect, const char *why) {
    r->effects->anywhere.effect |= effect;
    r->effects->anywhere.why = why;
}

/* Adds an access and returns its number. */
static unsigned add_access(struct reader *r, struct kesco_open_access access) {
    r->flow.accesses.items[r->flow.accesses.count] = access;
    return (unsigned)r->flow.accesses.count++;
}

/* cp.async.bulk.tensor */
static void copy_tensor(struct reader *r, const struct kesco_ptx_statement *s, bool to_global,
                        unsigned on_destination) {
    anywhere(r, to_global ? on_destination : KESCO_READS, "it copies by a tensor map");
    if (has_part(s, "prefetch"))
        return;
    struct kesco_open_access block = {
        .address = address_of(r, s, to_global ? 1 : 0),
        .effect = to_global ? KESCO_READS : KESCO_WRITES,
        .in_block = true,
    };
    if (!block.address)
        return;
    if (!to_global)
        block.stored_also = kesco_assembly_single(r->flow.memory, KESCO_ASSEMBLY_ANYTHING, 0);
    const unsigned number = add_access(r, block);
    if (to_global)
        kesco_assembly_merge(r->flow.memory, &r->effects->leaving,
                             kesco_assembly_single(r->flow.memory, KESCO_ASSEMBLY_LOADED, number));
}

/* cp.async and its kin name the destination's state space before the source's. */
static void copy(struct reader *r, const struct kesco_ptx_statement *s, unsigned on_destination) {
    const char *global = strstr(s->name, ".global"), *shared = strstr(s->name, ".shared");
    const bool to_global = global && (!shared || global < shared);
    if (has_part(s, "tensor")) {
        copy_tensor(r, s, to_global, on_destination);
        return;
    }
    if (has_part(s, "prefetch"))
        return;
    const struct kesco_ptx_operand *to = address_of(r, s, 0), *from = address_of(r, s, 1);
    if (!shared)
        not_understood(r, "instruction", s->name);
    if (!to || !from)
        return;
    const struct kesco_open_access read = {
        .address = from,
        .effect = KESCO_READS,
        .in_block = to_global || !global,
    };
    struct kesco_open_access written = {
        .address = to,
        .effect = on_destination,
        .in_block = !to_global,
    };
    const unsigned number = add_access(r, read);
    written.stored_also = kesco_assembly_single(r->flow.memory, KESCO_ASSEMBLY_LOADED, number);
    (void)add_access(r, written);
}

/* What goes to memory by an address. */
struct by_address {
    unsigned effect;
    bool is_in_block; /* whatever state space is named */
    bool has_result;
    bool stores;  /* its values */
    bool watches; /* unless in the block */
};

static const struct by_address by_address[] = {
    [KESCO_PTX_LOAD] = {.effect = KESCO_READS, .has_result = true},
    [KESCO_PTX_MATRIX_LOAD] = {.effect = KESCO_READS, .has_result = true, .is_in_block = true},
    [KESCO_PTX_STORE] = {.effect = KESCO_WRITES, .stores = true},
    [KESCO_PTX_MATRIX_STORE] = {.effect = KESCO_WRITES, .stores = true, .is_in_block = true},
    [KESCO_PTX_DISCARD] = {.effect = KESCO_WRITES},
    [KESCO_PTX_ATOMIC] = {.effect = KESCO_READS | KESCO_WRITES,
                          .has_result = true,
                          .stores = true,
                          .watches = true},
    [KESCO_PTX_REDUCTION] = {.effect = KESCO_READS | KESCO_WRITES, .stores = true, .watches = true},
};

static void apply_by_address(struct reader *r, enum kesco_instruction kind,
                             const struct kesco_ptx_statement *s, bool in_block) {
    static const char *const watching[] = {"volatile", "cv", "acquire", "relaxed", "mmio"};
    const struct by_address *how = &by_address[kind];
    const bool is_load = kind == KESCO_PTX_LOAD || kind == KESCO_PTX_MATRIX_LOAD;
    if (!in_block &&
        (how->watches || (is_load && has_any_part(s, watching, sizeof(watching) / sizeof(*watching)))))
        r->effects->flags |= KESCO_ASSEMBLY_WATCHES;
    struct kesco_open_access made = {
        .address = address_of(r, s, 0),
        .effect = how->effect,
        .in_block = in_block || how->is_in_block,
    };
    if (!made.address)
        return;
    if (how->stores)
        made.stored = values_of(r, s, 1);
    const unsigned number = add_access(r, made);
    if (how->has_result)
        define_as(r, s, KESCO_ASSEMBLY_LOADED, number);
}

/* Handles and addresses that stand for memory without saying which. */
static const struct {
    unsigned effect;
    const char *why;
} by_handle[] = {
    [KESCO_PTX_TEXTURE] = {KESCO_READS, "it reads through a texture"},
    [KESCO_PTX_SURFACE_LOAD] = {KESCO_READS, "it reads through a surface"},
    [KESCO_PTX_SURFACE_STORE] = {KESCO_WRITES, "it writes through a surface"},
    [KESCO_PTX_SURFACE_ADD] = {KESCO_READS | KESCO_WRITES, "it writes through a surface"},
    [KESCO_PTX_MULTICAST] = {KESCO_READS | KESCO_WRITES, "it accesses memory of several devices"},
};

static void apply_by_handle(struct reader *r, enum kesco_instruction kind,
                            const struct kesco_ptx_statement *s) {
    const struct kesco_assembly_operands values = values_of(r, s, 0);
    anywhere(r, by_handle[kind].effect, by_handle[kind].why);
    if (kind == KESCO_PTX_MULTICAST)
        r->effects->flags |= KESCO_ASSEMBLY_WATCHES;
    define_as(r, s, KESCO_ASSEMBLY_ANYTHING, 0);
    if (by_handle[kind].effect & KESCO_WRITES)
        append(&r->flow.leaving, values, 0, values.count);
}

static void apply_to_memory(struct reader *r, enum kesco_instruction kind,
                            const struct kesco_ptx_statement *s) {
    static const char *const spaces[] = {"shared", "local", "param"}, *const releases[] = {"release",
                                                                                           "acq_rel"};
    const bool in_block = has_any_part(s, spaces, sizeof(spaces) / sizeof(*spaces));
    if (!in_block && has_part(s, "sys") &&
        (kind == KESCO_PTX_FENCE || has_any_part(s, releases, sizeof(releases) / sizeof(*releases))))
        anywhere(r, KESCO_READS | KESCO_WRITES, KESCO_SIGNALS_THE_HOST);
    switch (kind) {
    case KESCO_PTX_FENCE:
        r->effects->flags |= KESCO_ASSEMBLY_FENCES;
        if (has_part(s, "red"))
            define_as(r, s, KESCO_ASSEMBLY_NUMBER, 0);
        break;
    case KESCO_PTX_COPY:
        copy(r, s, KESCO_WRITES);
        break;
    case KESCO_PTX_COPY_AND_ADD:
        copy(r, s, KESCO_READS | KESCO_WRITES);
        break;
    default:
        if (kind < sizeof(by_address) / sizeof(*by_address) && by_address[kind].effect)
            apply_by_address(r, kind, s, in_block);
        else
            apply_by_handle(r, kind, s);
    }
}

static void apply(struct reader *r, enum kesco_instruction kind, const struct kesco_ptx_statement *s) {
    switch (kind) {
    case KESCO_PTX_IDLE:
    case KESCO_PTX_COPY_CONTROL:
        break;
    case KESCO_PTX_COUNT:
    case KESCO_PTX_MBARRIER:
        define_as(r, s, KESCO_ASSEMBLY_NUMBER, 0);
        break;
    case KESCO_PTX_SUM:
    case KESCO_PTX_FIRST:
    case KESCO_PTX_CHOICE:
    case KESCO_PTX_DIFFERENCE:
    case KESCO_PTX_PRODUCT:
    case KESCO_PTX_MASK:
    case KESCO_PTX_MIXTURE:
        compute(r, kind, s);
        break;
    case KESCO_PTX_JUMP:
        jump(r, s);
        break;
    case KESCO_PTX_TRAP:
        r->effects->flags |= KESCO_ASSEMBLY_TRAPS;
        break;
    default:
        apply_to_memory(r, kind, s);
    }
}

static void read_statement(struct reader *r, const struct kesco_ptx_statement *s) {
    if (s->kind == KESCO_PTX_DIRECTIVE)
        not_understood(r, "directive", s->name);
    if (s->kind != KESCO_PTX_INSTRUCTION)
        return;
    const enum kesco_instruction kind = kesco_instruction_find(s->name);
    if (kind == KESCO_PTX_UNKNOWN) {
        not_understood(r, "instruction", s->name);
        return;
    }
    if (s->guard)
        check_term(r, s->guard);
    for (size_t i = 0; i < s->operand_count; i++) {
        check_operand(r, &s->operands[i]);
        if (s->operands[i].computed)
            r->flow.mixed.items[r->flow.mixed.count++] = &s->operands[i];
    }
    apply(r, kind, s);
}

static bool contains(const char *text, size_t length, const char *word) {
    const size_t size = strlen(word);
    for (size_t i = 0; i + size <= length; i++)
        if (memcmp(text + i, word, size) == 0)
            return true;
    return false;
}

/* Of a text that is not understood. */
static void suppose(const char *text, size_t length, struct kesco_assembly_effects *effects) {
    effects->flags = KESCO_ASSEMBLY_WATCHES | KESCO_ASSEMBLY_LOOPS;
    if (contains(text, length, "trap") || contains(text, length, "brkpt"))
        effects->flags |= KESCO_ASSEMBLY_TRAPS;
}

static void read_all(const struct kesco_ptx *text, const struct kesco_assembly_operand *operands,
                     size_t count, struct kesco_assembly_effects *effects) {
    struct reader r = {
        .flow = {.text = text, .given = operands, .given_count = count, .memory = &effects->memory},
        .effects = effects,
    };
    kesco_assembly_flow_begin(&r.flow);
    for (size_t i = 0; i < text->statement_count && !effects->memory.has_failed; i++)
        read_statement(&r, &text->statements[i]);
    if (!effects->memory.has_failed)
        kesco_assembly_flow_solve(&r.flow, effects);
}

int kesco_assembly_read(const char *text, size_t length, const struct kesco_assembly_operand *operands,
                        size_t count, struct kesco_assembly_effects *effects) {
    struct kesco_ptx read;
    *effects = (struct kesco_assembly_effects){0};
    const int status = kesco_ptx_read(&read, text, length, &effects->not_understood);
    if (status == 0) {
        read_all(&read, operands, count, effects);
        kesco_ptx_free(&read);
    }
    if (status == -ENOMEM || effects->memory.has_failed) {
        kesco_assembly_effects_free(effects);
        return -ENOMEM;
    }
    if (status != 0)
        suppose(text, length, effects);
    return 0;
}

void kesco_assembly_effects_free(struct kesco_assembly_effects *effects) {
    kesco_arena_free(&effects->memory.arena);
    *effects = (struct kesco_assembly_effects){0};
}
