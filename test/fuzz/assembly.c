/*
 * Assembly as people write it by hand, and as nobody does: addresses are moved, added to, cut in halves,
 * chosen by predicates and jumps, kept in memory and shared memory, shadowed by scopes and handed out, before
 * something is loaded or stored there.
 *
 * Registers always have a value: pX an address, vX a number, qX a predicate. What an address may be is known
 * at each place of the text, so code that a guard may skip leaves that as it is.
 */
#include "test/fuzz/assembly.h"

enum { ADDRESSES = 4, NUMBERS = 4, PREDICATES = 2, MOST_STEPS = 14 };

/* What is known of an address. */
struct known {
    bool written; /* what it leads to may be */
    bool moved;   /* it leads to element i, not to the first one */
};

struct assembly {
    struct generator *g;
    enum assembly_shape shape;
    struct known addresses[ADDRESSES];
    unsigned labels;
    bool skippable; /* the code at hand may be skipped */
};

#define LINE(a, format, ...) writer_line(&(a)->g->writer, "    \"" format "\\n\\t\"", __VA_ARGS__)

static unsigned below(struct assembly *a, unsigned limit) {
    return random_below(&a->g->random, limit);
}

static bool same(struct known x, struct known y) {
    return x.written == y.written && x.moved == y.moved;
}

/* An address that may be stored to, or ADDRESSES. */
static unsigned choose_written(struct assembly *a) {
    unsigned first = below(a, ADDRESSES);

    for (unsigned i = 0; i < ADDRESSES; i++)
        if (a->addresses[(first + i) % ADDRESSES].written)
            return (first + i) % ADDRESSES;
    return ADDRESSES;
}

/* An address register that may be overwritten with what is `known`, or ADDRESSES. */
static unsigned choose_target(struct assembly *a, struct known known) {
    unsigned target = below(a, ADDRESSES);

    if (!a->skippable)
        a->addresses[target] = known;
    return same(a->addresses[target], known) ? target : ADDRESSES;
}

/* "[p1+12]", an element of what the address leads to. */
static const char *element(struct assembly *a, unsigned address) {
    if (a->addresses[address].moved || below(a, 2))
        return writer_text(&a->g->writer, "[p%u]", address);
    return writer_text(&a->g->writer, "[p%u+%u]", address, 4 * below(a, 8));
}

/* Steps that leave addresses as they are */

static const char *guard(struct assembly *a) {
    static const char *const guards[] = {"@q0 ", "@!q0 ", "@q1 ", "@!q1 "};

    return below(a, 4) ? "" : guards[below(a, 4)];
}

static void write_load(struct assembly *a) {
    static const char *const forms[] = {"ld.global.u32",
                                        "ld.u32",
                                        "ld.global.ca.u32",
                                        "ld.volatile.global.u32",
                                        "ld.relaxed.gpu.global.u32",
                                        "ld.global.L1::no_allocate.b32"};

    LINE(a, "%s%s v%u, %s;", guard(a), forms[below(a, 6)], below(a, NUMBERS),
         element(a, below(a, ADDRESSES)));
}

static void write_store(struct assembly *a) {
    static const char *const forms[] = {"st.global.u32",
                                        "st.u32",
                                        "st.global.cs.u32",
                                        "st.volatile.global.u32",
                                        "st.global.wb.b32",
                                        "red.global.add.u32",
                                        "red.relaxed.gpu.global.xor.b32"};
    unsigned address = choose_written(a);

    if (address < ADDRESSES)
        LINE(a, "%s%s %s, v%u;", guard(a), forms[below(a, 7)], element(a, address), below(a, NUMBERS));
}

static void write_exchange(struct assembly *a) {
    static const char *const forms[] = {"atom.global.add.u32", "atom.exch.b32", "atom.global.max.u32"};
    unsigned address = choose_written(a);

    if (address < ADDRESSES)
        LINE(a, "%s%s v%u, %s, v%u;", guard(a), forms[below(a, 3)], below(a, NUMBERS), element(a, address),
             below(a, NUMBERS));
}

static void write_arithmetic(struct assembly *a) {
    unsigned d = below(a, NUMBERS), x = below(a, NUMBERS), y = below(a, NUMBERS);

    switch (below(a, 7)) {
    case 0:
        LINE(a, "%sadd.u32 v%u, v%u, v%u;", guard(a), d, x, y);
        break;
    case 1:
        LINE(a, "mad.lo.u32 v%u, v%u, 0x%x, v%u;", d, x, below(a, 1u << 20) * 2 + 1, y);
        break;
    case 2:
        LINE(a, "%sxor.b32 v%u, v%u, v%u;", guard(a), d, x, y);
        break;
    case 3:
        LINE(a, "shl.b32 v%u, v%u, %u;", d, x, below(a, 34));
        break;
    case 4:
        LINE(a, "sub.u32 v%u, v%u, v%u; shr.u32 v%u, v%u, %u;", d, x, y, d, d, below(a, 9));
        break;
    case 5:
        LINE(a, "selp.u32 v%u, v%u, v%u, q%u;", d, x, y, below(a, PREDICATES));
        break;
    default:
        LINE(a, "{ .reg .u32 v%u; mov.u32 v%u, %%[v]; add.u32 %%[n], %%[n], v%u; }", x, x, x);
    }
}

static void write_comparison(struct assembly *a) {
    static const char *const forms[] = {"lt.u32", "ge.s32", "ne.u32", "hi.u32"};

    LINE(a, "setp.%s q%u, v%u, v%u;", forms[below(a, 4)], below(a, PREDICATES), below(a, NUMBERS),
         below(a, NUMBERS));
}

/* A scope with an address of the same name, that leads elsewhere. */
static void write_shadow(struct assembly *a) {
    unsigned from = choose_written(a), name = below(a, ADDRESSES);

    if (from == ADDRESSES)
        return;
    if (from == name)
        LINE(a, "{ .reg .u64 t; mov.u64 t, p%u; { .reg .u64 p%u; mov.u64 p%u, t; st.u32 [p%u], v0; } }", from,
             name, name, name);
    else
        LINE(a, "{ .reg .u64 p%u; add.u64 p%u, p%u, 0; red.add.u32 [p%u], v1; }", name, name, from, name);
}

/* Steps that make addresses */

static void write_address(struct assembly *a) {
    bool second = below(a, 2);
    bool moved = below(a, 2);
    unsigned p = choose_target(a, (struct known){!second || a->shape != ASSEMBLY_READS, moved});
    const char *base = second ? "in" : "out";

    if (p == ADDRESSES)
        return;
    if (!moved)
        LINE(a, "mov.u64 p%u, %%[%s];", p, base);
    else if (below(a, 3) == 0)
        LINE(a, "mad.wide.u32 p%u, %%[i], 4, %%[%s];", p, base);
    else if (below(a, 2))
        LINE(a, "{ .reg .u64 o; mul.wide.u32 o, %%[i], 4; add.u64 p%u, %%[%s], o; }", p, base);
    else
        LINE(a,
             "{ .reg .b32 o; .reg .b64 w; shl.b32 o, %%[i], 2; cvt.u64.u32 w, o; add.s64 p%u, w, %%[%s]; }",
             p, base);
}

static void write_copy(struct assembly *a) {
    unsigned from = below(a, ADDRESSES), to = choose_target(a, a->addresses[from]);

    if (to == ADDRESSES)
        return;
    switch (below(a, 5)) {
    case 0:
        LINE(a, "{ .reg .b32 l, h; mov.b64 {l, h}, p%u; mov.b64 p%u, {l, h}; }", from, to);
        break;
    case 1:
        LINE(a, "cvta.to.global.u64 p%u, p%u;", to, from);
        break;
    case 2:
        LINE(a, "{ .reg .u64 t<2>; add.u64 t0, p%u, 64; mov.u64 t1, t0; sub.u64 p%u, t1, 64; }", from, to);
        break;
    case 3:
        LINE(a, "{ .reg .v2 .u64 t; mov.u64 t.y, p%u; mov.u64 p%u, t.y; }", from, to);
        break;
    default:
        LINE(a, "mov.u64 p%u, p%u;", to, from);
    }
}

/* One of two, by a predicate, a guard or a jump. */
static void write_choice(struct assembly *a) {
    unsigned x = below(a, ADDRESSES), y = below(a, ADDRESSES), q = below(a, PREDICATES), to;

    if (a->addresses[x].moved != a->addresses[y].moved)
        return;
    to = choose_target(
        a, (struct known){a->addresses[x].written && a->addresses[y].written, a->addresses[x].moved});
    if (to == ADDRESSES)
        return;
    switch (below(a, 3)) {
    case 0:
        LINE(a, "selp.b64 p%u, p%u, p%u, q%u;", to, x, y, q);
        break;
    case 1:
        LINE(a, "{ .reg .u64 t; mov.u64 t, p%u; @q%u mov.u64 t, p%u; mov.u64 p%u, t; }", x, q, y, to);
        break;
    default:
        LINE(a, "{ .reg .u64 t; mov.u64 t, p%u; @q%u bra L%u_%%=; mov.u64 t, p%u; L%u_%%=: mov.u64 p%u, t; }",
             x, q, a->labels, y, a->labels, to);
        a->labels++;
    }
}

/* By way of memory of the thread, or of the device. */
static void write_detour(struct assembly *a) {
    unsigned from = below(a, ADDRESSES), to;

    if (a->shape == ASSEMBLY_LOADS && below(a, 2)) {
        to = choose_target(a, (struct known){true, false});
        if (to < ADDRESSES)
            LINE(a, "ld.global.u64 p%u, [%%[slot]];", to);
        return;
    }
    to = choose_target(a, a->addresses[from]);
    if (to < ADDRESSES)
        LINE(a, "st.u64 [%%[own]+8], p%u; ld.u64 p%u, [%%[own]+8];", from, to);
}

/* What may be skipped, or runs more than once */

static void write_step(struct assembly *a);

static void write_skip(struct assembly *a) {
    unsigned label = a->labels++;

    LINE(a, "@q%u bra L%u_%%=;", below(a, PREDICATES), label);
    a->skippable = true;
    write_step(a);
    write_step(a);
    a->skippable = false;
    LINE(a, "L%u_%%=:", label);
}

static void write_loop(struct assembly *a) {
    unsigned label = a->labels++;

    LINE(a, "{ .reg .u32 c; .reg .pred e; mov.u32 c, 0; L%u_%%=:", label);
    a->skippable = true;
    write_step(a);
    write_step(a);
    a->skippable = false;
    LINE(a, "add.u32 c, c, 1; setp.lt.u32 e, c, %u; @e bra L%u_%%=; }", 2 + below(a, 2), label);
}

static void write_step(struct assembly *a) {
    static void (*const steps[])(struct assembly *) = {
        write_load,       write_load,       write_store,      write_store,  write_store,   write_exchange,
        write_arithmetic, write_arithmetic, write_comparison, write_shadow, write_address, write_address,
        write_copy,       write_copy,       write_choice,     write_detour, write_skip,    write_loop};
    unsigned simple = sizeof(steps) / sizeof(*steps) - (a->skippable ? 2 : 0);

    steps[below(a, simple)](a);
}

/* The whole */

static void write_registers(struct assembly *a) {
    LINE(a, "{ .reg .u64 p<%u>; .reg .u32 v<%u>; .reg .pred q<%u>;", ADDRESSES, NUMBERS, PREDICATES);
    for (unsigned i = 0; i < ADDRESSES; i++) {
        a->addresses[i] = (struct known){i != 1 || a->shape != ASSEMBLY_READS, false};
        LINE(a, "mov.u64 p%u, %%[%s];", i, i == 1 ? "in" : "out");
    }
    for (unsigned i = 0; i < NUMBERS; i++)
        LINE(a, "add.u32 v%u, %%[v], %u;", i, i * 1000003);
    LINE(a, "setp.lt.u32 q0, %%[i], %u; setp.ne.u32 q1, %%[v], %u;", 1 + below(a, 7), below(a, 9));
}

void write_assembly(struct generator *g, enum assembly_shape shape) {
    struct assembly a = {.g = g, .shape = shape};
    unsigned steps = 3 + random_below(&g->random, MOST_STEPS);
    unsigned last;

    writer_line(&g->writer, "EACH(i) {");
    writer_line(&g->writer, "unsigned n = v, *p, *own[2] = {out, out};");
    if (shape == ASSEMBLY_LOADS)
        writer_line(&g->writer, "unsigned *in = stash = out, **slot = &stash;");
    writer_line(&g->writer, "asm volatile(");
    write_registers(&a);
    while (steps-- > 0)
        write_step(&a);
    last = choose_written(&a);
    if (last == ADDRESSES)
        LINE(&a, "mov.u64 p%u, %%[out];", last = 0);
    LINE(&a, "mov.u64 %%[p], p%u; add.u32 %%[n], %%[n], v%u; }", last, below(&a, NUMBERS));
    writer_line(&g->writer, "    : [p] \"=&l\"(p), [n] \"+r\"(n)");
    writer_line(&g->writer,
                "    : [out] \"l\"(out), [in] \"l\"(in), [i] \"r\"(i), [v] \"r\"(v), [own] \"l\"(own)%s",
                shape == ASSEMBLY_LOADS ? ", [slot] \"l\"(slot)" : "");
    writer_line(&g->writer, "    : \"memory\");");
    writer_line(&g->writer, "*p = *p * C3 + n;");
    writer_line(&g->writer, "}");
}
