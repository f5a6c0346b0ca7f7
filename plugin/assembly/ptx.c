#include "plugin/assembly/ptx.h"

#include "plugin/assembly/ptx_variable.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct declaration {
    const char *name, *type;
    unsigned lanes;
    unsigned range; /* `r<range>` declares r0, r1, ...; 0 for a plain name */
    size_t scope;
    size_t number; /* of all declarations */
};

/* A name that may be a label's, which may stand further on. */
struct open_name {
    size_t term, scope;
};

struct label {
    size_t statement, scope;
};

struct scopes {
    size_t innermost; /* of those that are open */
    size_t *outer;    /* by scope; of the outermost, itself */
    size_t count;
};

struct declarations {
    struct declaration *items;   /* of the open scopes */
    size_t count, made, *owners; /* by register: the number of its declaration */
};

struct jumps {
    struct open_name *open_names;
    size_t open_name_count;
    struct label *labels;
    size_t label_count;
};

struct reader {
    struct kesco_ptx *out;
    struct kesco_ptx_tokens t;
    struct scopes scopes;
    struct declarations known;
    struct jumps jumps;
    bool in_call;
};

static bool refuse(struct reader *r, const char *problem) {
    return kesco_ptx_tokens_fail(&r->t, -EBADMSG, problem);
}

static bool at_sign(const struct reader *r, char sign) {
    return kesco_ptx_at_sign(&r->t, sign);
}

static bool take_sign(struct reader *r, char sign) {
    return kesco_ptx_take_sign(&r->t, sign);
}

/* Registers */

/* True for r7 of `r<8>`. */
static bool is_of_range(const struct declaration *d, const char *name) {
    size_t length = strlen(d->name);
    const char *digits = name + length;
    uint64_t number;
    return strncmp(name, d->name, length) == 0 && (digits[0] != '0' || !digits[1]) &&
           kesco_ptx_read_digits(digits, strlen(digits), 10, &number) && number < d->range;
}

/* Of several of one name, the innermost. NULL for what is no register. */
static const struct declaration *find_declaration(const struct reader *r, const char *name) {
    for (size_t i = r->known.count; i-- > 0;) {
        const struct declaration *d = &r->known.items[i];
        if (d->range ? is_of_range(d, name) : strcmp(d->name, name) == 0)
            return d;
    }
    return NULL;
}

static bool add_register(struct reader *r, const struct declaration *d, const char *name) {
    struct kesco_ptx *out = r->out;
    struct kesco_ptx_register *registers =
        kesco_ptx_tokens_enlarge(&r->t, out->registers, out->register_count, sizeof(*out->registers));
    if (!registers)
        return false;
    out->registers = registers;
    size_t *owners =
        kesco_ptx_tokens_enlarge(&r->t, r->known.owners, out->register_count, sizeof(*r->known.owners));
    if (!owners)
        return false;
    r->known.owners = owners;
    owners[out->register_count] = d->number;
    registers[out->register_count++] = (struct kesco_ptx_register){name, d->type, d->lanes};
    return true;
}

static bool find_register(struct reader *r, const struct declaration *d, const char *name, unsigned *index) {
    const struct kesco_ptx *out = r->out;
    for (size_t i = out->register_count; i-- > 0;) /* what is used was so shortly before */
        if (r->known.owners[i] == d->number && strcmp(out->registers[i].name, name) == 0) {
            *index = (unsigned)i;
            return true;
        }
    *index = (unsigned)out->register_count;
    return add_register(r, d, name);
}

/* `name` or `name<range>`. */
static bool read_declaration(struct reader *r, struct declaration d) {
    d.name = r->t.token.text;
    if (r->t.token.kind != KESCO_PTX_WORD)
        return refuse(r, "a declaration");
    kesco_ptx_advance(&r->t);
    if (take_sign(r, '<')) {
        uint64_t range = r->t.token.kind == KESCO_PTX_NUMBER ? r->t.token.constant.bits : 0;
        kesco_ptx_advance(&r->t);
        if (range == 0 || range > UINT32_MAX || !take_sign(r, '>'))
            return refuse(r, "a declaration");
        d.range = (unsigned)range;
    }
    struct declaration *all = kesco_ptx_tokens_enlarge(&r->t, r->known.items, r->known.count, sizeof(*all));
    if (!all)
        return false;
    r->known.items = all;
    d.number = r->known.made++;
    all[r->known.count++] = d;
    return true;
}

/* `.reg .v2 .f32 a, b;` and `.reg .u64 r<4>;`, after the first word. */
static bool read_declarations(struct reader *r) {
    struct declaration d = {.lanes = 1, .scope = r->scopes.innermost};
    const char *part = r->t.token.kind == KESCO_PTX_PART ? r->t.token.text : "";
    if (part[0] && part[1] == 'v' && isdigit((unsigned char)part[2])) {
        d.lanes = (unsigned)(part[2] - '0');
        kesco_ptx_advance(&r->t);
    }
    if (r->t.token.kind != KESCO_PTX_PART)
        return refuse(r, "a declaration");
    d.type = r->t.token.text + 1;
    kesco_ptx_advance(&r->t);
    do
        if (!read_declaration(r, d))
            return false;
    while (take_sign(r, ','));
    return take_sign(r, ';') || refuse(r, "a declaration");
}

/* Operands */

/* `operand` is NULL for a guard. */
static bool add_term(struct reader *r, struct kesco_ptx_operand *operand, struct kesco_ptx_term term) {
    struct kesco_ptx *out = r->out;
    struct kesco_ptx_term *terms =
        kesco_ptx_tokens_enlarge(&r->t, out->terms, out->term_count, sizeof(*terms));
    if (!terms)
        return false;
    out->terms = terms;
    if (term.kind == KESCO_PTX_NAME) {
        struct open_name *names =
            kesco_ptx_tokens_enlarge(&r->t, r->jumps.open_names, r->jumps.open_name_count, sizeof(*names));
        if (!names)
            return false;
        r->jumps.open_names = names;
        names[r->jumps.open_name_count++] = (struct open_name){out->term_count, r->scopes.innermost};
    }
    terms[out->term_count++] = term;
    if (operand)
        operand->term_count++;
    return true;
}

static bool read_word(struct reader *r, struct kesco_ptx_term *term) {
    const struct declaration *d = find_declaration(r, r->t.token.text);
    term->kind = d ? KESCO_PTX_REGISTER : KESCO_PTX_NAME;
    if (!d) {
        term->name = kesco_ptx_take_joined(&r->t);
        return true;
    }
    if (!find_register(r, d, r->t.token.text, &term->index))
        return false;
    term->name = r->out->registers[term->index].name;
    kesco_ptx_advance(&r->t);
    return true;
}

static bool read_term(struct reader *r, struct kesco_ptx_operand *operand, bool negative) {
    struct kesco_ptx_term term = {.negative = negative, .name = "", .part = ""};
    term.element = operand ? operand->elements - 1 : 0;
    if (r->t.token.kind == KESCO_PTX_NUMBER) {
        term.kind = r->t.token.constant.kind;
        term.bits = r->t.token.constant.bits;
        kesco_ptx_advance(&r->t);
        return add_term(r, operand, term);
    }
    if (r->t.token.kind == KESCO_PTX_OPERAND) {
        term.kind = KESCO_PTX_ASM_OPERAND;
        term.index = r->t.token.operand;
        kesco_ptx_advance(&r->t);
    } else if (r->t.token.kind != KESCO_PTX_WORD) {
        return refuse(r, "an operand");
    } else if (!read_word(r, &term)) {
        return false;
    }
    if (r->t.token.kind == KESCO_PTX_PART) {
        term.part = r->t.token.text + 1;
        kesco_ptx_advance(&r->t);
    }
    return add_term(r, operand, term);
}

/* What stands before a term. Returns whether it is subtracted. */
static bool read_signs(struct reader *r, struct kesco_ptx_operand *operand, size_t *open) {
    bool negative = false;
    while (kesco_ptx_at_any_sign(&r->t, "+-!~(")) {
        char sign = r->t.token.sign;
        negative ^= sign == '-' || sign == '!';
        operand->computed |= sign == '~' || sign == '(';
        *open += sign == '(';
        kesco_ptx_advance(&r->t);
    }
    return negative;
}

/* Sums and, as computed ones, other expressions. */
static bool read_element(struct reader *r, struct kesco_ptx_operand *operand) {
    size_t open = 0;
    operand->elements++;
    for (;;) {
        bool negative = read_signs(r, operand, &open);
        if (!read_term(r, operand, negative))
            return false;
        while (open > 0 && take_sign(r, ')'))
            open--;
        if (!kesco_ptx_at_any_sign(&r->t, "+-*/&^<>=?:"))
            return open == 0 || refuse(r, "an expression");
        while (kesco_ptx_at_any_sign(&r->t, "*/&^<>=?:")) {
            operand->computed = true;
            kesco_ptx_advance(&r->t);
        }
    }
}

/* With commas between them, up to `close`, which is taken. Within an address, some may be in braces. */
static bool read_elements(struct reader *r, struct kesco_ptx_operand *operand, char close) {
    bool braced = false;
    do {
        if (close == ']' && !braced)
            braced = take_sign(r, '{');
        if (!read_element(r, operand))
            return false;
        if (braced && take_sign(r, '}'))
            braced = false;
    } while (take_sign(r, ','));
    return (!braced && take_sign(r, close)) || refuse(r, "an operand");
}

static bool read_operand(struct reader *r) {
    struct kesco_ptx *out = r->out;
    struct kesco_ptx_operand operand = {.form = KESCO_PTX_VALUE};
    bool good;
    if (take_sign(r, '[')) {
        operand.form = KESCO_PTX_ADDRESS;
        good = read_elements(r, &operand, ']');
    } else if (take_sign(r, '{')) {
        operand.form = KESCO_PTX_VECTOR;
        good = read_elements(r, &operand, '}');
    } else if (r->in_call && take_sign(r, '(')) {
        operand.form = KESCO_PTX_LIST;
        good = take_sign(r, ')') || read_elements(r, &operand, ')');
    } else {
        good = read_element(r, &operand);
    }
    while (good && take_sign(r, '|'))
        good = read_element(r, &operand);
    if (!good)
        return false;
    struct kesco_ptx_operand *operands =
        kesco_ptx_tokens_enlarge(&r->t, out->operands, out->operand_count, sizeof(*operands));
    if (!operands)
        return false;
    out->operands = operands;
    operands[out->operand_count++] = operand;
    return true;
}

/* Statements */

static const struct kesco_ptx_term some_guard; /* stands for the guard until all terms are there */

static bool add_statement(struct reader *r, struct kesco_ptx_statement statement) {
    struct kesco_ptx *out = r->out;
    struct kesco_ptx_statement *all =
        kesco_ptx_tokens_enlarge(&r->t, out->statements, out->statement_count, sizeof(*all));
    if (!all)
        return false;
    out->statements = all;
    all[out->statement_count++] = statement;
    return true;
}

static bool read_label(struct reader *r, const char *name) {
    struct label *labels =
        kesco_ptx_tokens_enlarge(&r->t, r->jumps.labels, r->jumps.label_count, sizeof(*labels));
    if (!labels)
        return false;
    r->jumps.labels = labels;
    labels[r->jumps.label_count++] = (struct label){r->out->statement_count, r->scopes.innermost};
    return add_statement(r, (struct kesco_ptx_statement){.kind = KESCO_PTX_LABEL_HERE, .name = name});
}

static bool read_operands(struct reader *r, struct kesco_ptx_statement *statement) {
    const size_t before = r->out->operand_count;
    if (!at_sign(r, ';') && r->t.token.kind != KESCO_PTX_END)
        do
            if (!read_operand(r))
                return false;
        while (take_sign(r, ','));
    statement->operand_count = r->out->operand_count - before;
    return take_sign(r, ';') || refuse(r, "a statement that is not complete");
}

static bool read_instruction(struct reader *r) {
    struct kesco_ptx_statement statement = {.kind = KESCO_PTX_INSTRUCTION};
    if (take_sign(r, '@')) {
        bool negative = take_sign(r, '!');
        statement.guard = &some_guard;
        if (!read_term(r, NULL, negative))
            return false;
    }
    if (r->t.token.kind != KESCO_PTX_WORD)
        return refuse(r, "a statement that is not complete");
    statement.name = kesco_ptx_take_joined(&r->t);
    r->in_call = strcmp(statement.name, "call") == 0 || strncmp(statement.name, "call.", 5) == 0;
    if (!statement.guard && take_sign(r, ':'))
        return read_label(r, statement.name);
    return read_operands(r, &statement) && add_statement(r, statement);
}

static const struct kesco_ptx_variable some_variable; /* as some_guard */

static bool read_variable(struct reader *r, const char *name) {
    struct kesco_ptx *out = r->out;
    struct kesco_ptx_variable *all =
        kesco_ptx_tokens_enlarge(&r->t, out->variables, out->variable_count, sizeof(*all));
    if (!all)
        return false;
    out->variables = all;
    return kesco_ptx_read_variable(&r->t, name + 1, &all[out->variable_count++]) &&
           (take_sign(r, ';') || refuse(r, "a declaration")) &&
           add_statement(r, (struct kesco_ptx_statement){
                                .kind = KESCO_PTX_DIRECTIVE, .name = name, .variable = &some_variable});
}

static bool is_place(const char *directive) {
    return strcmp(directive, ".loc") == 0 || strcmp(directive, ".file") == 0;
}

/* Of others than .reg, variables and .branchtargets, nothing but the name is read. */
static bool read_directive(struct reader *r) {
    const char *name = r->t.token.text;
    if (is_place(name)) {
        kesco_ptx_skip_line(&r->t);
        return true;
    }
    kesco_ptx_advance(&r->t);
    if (strcmp(name, ".reg") == 0)
        return read_declarations(r);
    if (kesco_ptx_is_space(name))
        return read_variable(r, name);
    struct kesco_ptx_statement statement = {.kind = KESCO_PTX_DIRECTIVE, .name = name};
    if (strcmp(name, ".branchtargets") == 0)
        return read_operands(r, &statement) && add_statement(r, statement);
    while (r->t.token.kind != KESCO_PTX_END && !at_sign(r, ';'))
        kesco_ptx_advance(&r->t);
    take_sign(r, ';');
    return !r->t.error && add_statement(r, statement);
}

static bool open_scope(struct reader *r) {
    size_t *outer = kesco_ptx_tokens_enlarge(&r->t, r->scopes.outer, r->scopes.count, sizeof(*outer));
    if (!outer)
        return false;
    r->scopes.outer = outer;
    outer[r->scopes.count] = r->scopes.innermost;
    r->scopes.innermost = r->scopes.count++;
    return true;
}

static bool close_scope(struct reader *r) {
    if (r->scopes.innermost == 0)
        return refuse(r, "a brace that closes nothing");
    while (r->known.count > 0 && r->known.items[r->known.count - 1].scope == r->scopes.innermost)
        r->known.count--;
    r->scopes.innermost = r->scopes.outer[r->scopes.innermost];
    return true;
}

static bool read_statement(struct reader *r) {
    if (take_sign(r, ';'))
        return true;
    if (take_sign(r, '{'))
        return open_scope(r);
    if (take_sign(r, '}'))
        return close_scope(r);
    return r->t.token.kind == KESCO_PTX_PART ? read_directive(r) : read_instruction(r);
}

static bool read_all(struct reader *r) {
    if (!open_scope(r))
        return false;
    while (r->t.token.kind != KESCO_PTX_END)
        if (!read_statement(r))
            return false;
    return !r->t.error && (r->scopes.innermost == 0 || refuse(r, "a brace that is not closed"));
}

/* What is done once all is read */

static void resolve_label(const struct reader *r, const struct open_name *name) {
    struct kesco_ptx_term *term = &r->out->terms[name->term];
    for (size_t scope = name->scope;; scope = r->scopes.outer[scope]) {
        for (size_t i = 0; i < r->jumps.label_count; i++) {
            const struct label *label = &r->jumps.labels[i];
            if (label->scope == scope && strcmp(r->out->statements[label->statement].name, term->name) == 0) {
                term->kind = KESCO_PTX_LABEL;
                term->index = (unsigned)label->statement;
                return;
            }
        }
        if (scope == 0)
            return;
    }
}

static void connect(struct kesco_ptx *out) {
    const struct kesco_ptx_term *term = out->terms;
    struct kesco_ptx_operand *operand = out->operands;
    const struct kesco_ptx_variable *variable = out->variables;
    for (size_t i = 0; i < out->statement_count; i++) {
        struct kesco_ptx_statement *statement = &out->statements[i];
        if (statement->guard)
            statement->guard = term++;
        if (statement->variable)
            statement->variable = variable++;
        statement->operands = operand;
        for (size_t k = 0; k < statement->operand_count; k++, operand++) {
            operand->terms = term;
            term += operand->term_count;
        }
    }
}

static int read_text(struct kesco_ptx *ptx, const char *text, size_t length, bool escaped,
                     const char **problem) {
    struct reader r = {.out = ptx};
    *ptx = (struct kesco_ptx){0};
    kesco_ptx_tokens_begin(&r.t, text, length, escaped);
    if (read_all(&r)) {
        for (size_t i = 0; i < r.jumps.open_name_count; i++)
            resolve_label(&r, &r.jumps.open_names[i]);
        connect(ptx);
    }
    ptx->names = r.t.names;
    free(r.t.plain);
    free(r.scopes.outer);
    free(r.known.items);
    free(r.known.owners);
    free(r.jumps.open_names);
    free(r.jumps.labels);
    if (r.t.error)
        kesco_ptx_free(ptx);
    *problem = r.t.problem;
    return r.t.error;
}

int kesco_ptx_read(struct kesco_ptx *ptx, const char *text, size_t length, const char **problem) {
    return read_text(ptx, text, length, /*escaped=*/true, problem);
}

int kesco_ptx_read_plain(struct kesco_ptx *ptx, const char *text, size_t length, const char **problem) {
    return read_text(ptx, text, length, /*escaped=*/false, problem);
}

void kesco_ptx_free(struct kesco_ptx *ptx) {
    free(ptx->registers);
    free(ptx->variables);
    free(ptx->statements);
    free(ptx->operands);
    free(ptx->terms);
    free(ptx->names);
    *ptx = (struct kesco_ptx){0};
}
