#include "plugin/summary/polynomial.h"

#include "plugin/summary/polynomial_sum.h"

#include <stdio.h>
#include <stdlib.h>

static void write_sum(const struct kesco_algebra *algebra, kesco_polynomial p, FILE *out);

static void write_atom(const struct kesco_algebra *algebra, uint32_t number, FILE *out) {
    const struct kesco_atom *atom = &algebra->atoms[number];

    switch (atom->kind) {
    case KESCO_ATOM_ARGUMENT:
        fprintf(out, "a%u:%u:%u", atom->parameter, atom->offset, atom->bits);
        break;
    case KESCO_ATOM_BLOCK:
    case KESCO_ATOM_GRID:
        fprintf(out, "%c%c", atom->kind == KESCO_ATOM_BLOCK ? 'b' : 'g', "xyz"[atom->axis]);
        break;
    case KESCO_ATOM_HYPOTHESIS:
        fprintf(out, "?%u", number);
        break;
    case KESCO_ATOM_SUM:
        write_sum(algebra, atom->a, out);
        break;
    case KESCO_ATOM_QUOTIENT:
        write_sum(algebra, atom->a, out);
        fprintf(out, ",/%lld", (long long)atom->by);
        break;
    default:
        write_sum(algebra, atom->a, out);
        fputc(',', out);
        write_sum(algebra, atom->b, out);
        fputs(atom->kind == KESCO_ATOM_LEAST ? ",m" : atom->kind == KESCO_ATOM_RATIO ? ",d" : ",M", out);
    }
}

static void write_term(const struct kesco_algebra *algebra, const struct kesco_term *term, FILE *out) {
    bool is_first = term->count > 0 && term->coefficient == 1;
    uint32_t i;

    if (!is_first)
        fprintf(out, "%lld", (long long)term->coefficient);
    for (i = 0; i < term->count; i++) {
        fputs(is_first ? "" : ",", out);
        write_atom(algebra, term->factors[i], out);
        fputs(is_first ? "" : ",*", out);
        is_first = false;
    }
}

static void write_sum(const struct kesco_algebra *algebra, kesco_polynomial p, FILE *out) {
    const struct kesco_polynomial_sum *sum = kesco_polynomial_sum(algebra, p);
    uint32_t i;

    if (sum->count == 0)
        fputc('0', out);
    for (i = 0; i < sum->count; i++) {
        fputs(i == 0 ? "" : ",", out);
        write_term(algebra, &sum->terms[i], out);
        fputs(i == 0 ? "" : ",+", out);
    }
}

char *kesco_algebra_text(const struct kesco_algebra *algebra, kesco_polynomial p) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL)
        return NULL;
    write_sum(algebra, p, out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}
