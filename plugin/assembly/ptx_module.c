#include "plugin/assembly/ptx_module.h"

#include "plugin/assembly/ptx_variable.h"
#include "plugin/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct kesco_ptx_module *out;
    struct kesco_ptx_tokens t;
};

static bool refuse(struct reader *r, const char *problem) {
    return kesco_ptx_tokens_fail(&r->t, -EBADMSG, problem);
}

static bool take_sign(struct reader *r, char sign) {
    return kesco_ptx_take_sign(&r->t, sign);
}

/* Up to the next token that is `close`, which is taken, over all in braces. */
static bool skip_to(struct reader *r, char close) {
    size_t open = 0;
    while (r->t.token.kind != KESCO_PTX_END && (open > 0 || !kesco_ptx_at_sign(&r->t, close))) {
        open += kesco_ptx_at_sign(&r->t, '{');
        open -= open > 0 && kesco_ptx_at_sign(&r->t, '}');
        kesco_ptx_advance(&r->t);
    }
    return take_sign(r, close) || refuse(r, "a directive that is not complete");
}

/* After the brace. What is no list of numbers is no text. */
static bool read_bytes(struct reader *r, struct kesco_ptx_variable *variable) {
    variable->text = calloc(1, variable->size + 1);
    if (!variable->text)
        return kesco_ptx_tokens_fail(&r->t, -ENOMEM, NULL);
    for (size_t i = 0; i < variable->size && r->t.token.kind == KESCO_PTX_NUMBER; i++) {
        variable->text[i] = (unsigned char)r->t.token.constant.bits;
        kesco_ptx_advance(&r->t);
        if (!take_sign(r, ','))
            break;
    }
    if (!(take_sign(r, '}') && kesco_ptx_at_sign(&r->t, ';'))) {
        free(variable->text);
        variable->text = NULL;
    }
    return true;
}

/* What a variable has from the start, as = {104, 105}. More than this is no text. */
static bool read_values(struct reader *r, struct kesco_ptx_variable *variable) {
    enum { MOST_BYTES = 1 << 20 };
    const bool has_bytes = strcmp(variable->type, "b8") == 0 && variable->size <= MOST_BYTES &&
                           take_sign(r, '=') && take_sign(r, '{');
    return (!has_bytes || read_bytes(r, variable)) && skip_to(r, ';');
}

static bool read_variable(struct reader *r, const char *space, bool is_own) {
    struct kesco_ptx_module *out = r->out;
    struct kesco_ptx_variable *all =
        kesco_ptx_tokens_enlarge(&r->t, out->variables, out->variable_count, sizeof(*all));
    if (!all)
        return false;
    out->variables = all;
    struct kesco_ptx_variable *variable = &all[out->variable_count++];
    if (!kesco_ptx_read_variable(&r->t, space, variable))
        return false;
    variable->is_own = is_own;
    return read_values(r, variable);
}

static bool read_parameter(struct reader *r, struct kesco_ptx_function *function) {
    struct kesco_ptx_variable *all =
        kesco_ptx_tokens_enlarge(&r->t, function->parameters, function->parameter_count, sizeof(*all));
    if (!all)
        return false;
    function->parameters = all;
    if (r->t.token.kind != KESCO_PTX_PART || strcmp(r->t.token.text, ".param") != 0)
        return refuse(r, "a parameter");
    kesco_ptx_advance(&r->t);
    return kesco_ptx_read_variable(&r->t, "param", &all[function->parameter_count++]);
}

/* Those after an open parenthesis. */
static bool read_parameters(struct reader *r, struct kesco_ptx_function *function) {
    if (take_sign(r, ')'))
        return true;
    do
        if (!read_parameter(r, function))
            return false;
    while (take_sign(r, ','));
    return take_sign(r, ')') || refuse(r, "a parameter");
}

/* From after its first brace on. */
static bool read_body(struct reader *r, struct kesco_ptx_function *function) {
    const char *first = r->t.at;
    kesco_ptx_advance(&r->t);
    size_t open = 1;
    for (;; kesco_ptx_advance(&r->t)) {
        if (r->t.token.kind == KESCO_PTX_END)
            return refuse(r, "a brace that is not closed");
        open += kesco_ptx_at_sign(&r->t, '{');
        open -= kesco_ptx_at_sign(&r->t, '}');
        if (open == 0)
            break;
    }
    function->has_body = true;
    size_t length = (size_t)(r->t.at - 1 - first);
    int status = kesco_ptx_read_plain(&function->body, first, length, &function->problem);
    kesco_ptx_advance(&r->t);
    return status != -ENOMEM || kesco_ptx_tokens_fail(&r->t, -ENOMEM, NULL);
}

static struct kesco_ptx_function *add_function(struct reader *r, struct kesco_ptx_function function) {
    struct kesco_ptx_module *out = r->out;
    struct kesco_ptx_function *all =
        kesco_ptx_tokens_enlarge(&r->t, out->functions, out->function_count, sizeof(*all));
    if (!all)
        return NULL;
    out->functions = all;
    all[out->function_count] = function;
    return &all[out->function_count++];
}

static bool read_function(struct reader *r, bool is_kernel, bool is_weak) {
    struct kesco_ptx_function *function = add_function(
        r, (struct kesco_ptx_function){
               .is_kernel = is_kernel, .is_weak = is_weak, .problem = "a body that is elsewhere"});
    if (!function)
        return false;
    if (take_sign(r, '(')) {
        function->has_result = true;
        if (!read_parameters(r, function))
            return false;
    }
    if (r->t.token.kind != KESCO_PTX_WORD || (function->has_result && function->parameter_count != 1))
        return refuse(r, "a function");
    function->name = r->t.token.text;
    kesco_ptx_advance(&r->t);
    if (take_sign(r, '(') && !read_parameters(r, function))
        return false;
    /* .maxntid 128, 1, 1 and the like */
    while (r->t.token.kind == KESCO_PTX_PART || r->t.token.kind == KESCO_PTX_NUMBER ||
           kesco_ptx_at_sign(&r->t, ','))
        kesco_ptx_advance(&r->t);
    if (take_sign(r, ';'))
        return true;
    return kesco_ptx_at_sign(&r->t, '{') ? read_body(r, function) : refuse(r, "a function");
}

static bool read_target(struct reader *r) {
    uint64_t number = 0;
    const char *digits = r->t.token.kind == KESCO_PTX_WORD ? strchr(r->t.token.text, '_') : NULL;
    if (!digits || !kesco_ptx_read_digits(digits + 1, strspn(digits + 1, "0123456789"), 10, &number))
        return refuse(r, "a target");
    r->out->target = (unsigned)number;
    kesco_ptx_skip_line(&r->t);
    return true;
}

/* What stands before a directive's own word. */
struct linkage {
    bool is_any, is_weak;
};

/* By the first word that is no linkage. */
static bool read_directive(struct reader *r, const char *name, struct linkage linkage) {
    static const char whole_lines[] = "version address_size file loc";
    if (kesco_words_have(whole_lines, name + 1, strlen(name + 1), false)) {
        kesco_ptx_skip_line(&r->t);
        return true;
    }
    kesco_ptx_advance(&r->t);
    if (strcmp(name, ".target") == 0)
        return read_target(r);
    if (strcmp(name, ".entry") == 0 || strcmp(name, ".func") == 0)
        return read_function(r, strcmp(name, ".entry") == 0, linkage.is_weak);
    if (kesco_ptx_is_space(name))
        return read_variable(r, name + 1, !linkage.is_any);
    if (strcmp(name, ".section") == 0)
        return skip_to(r, '{') && skip_to(r, '}');
    return strcmp(name, ".pragma") == 0 ? skip_to(r, ';') : refuse(r, "a directive");
}

static bool read_all(struct reader *r) {
    struct linkage linkage = {0};
    while (r->t.token.kind != KESCO_PTX_END) {
        if (take_sign(r, ';'))
            continue;
        if (r->t.token.kind != KESCO_PTX_PART)
            return refuse(r, "what is no directive");
        const char *name = r->t.token.text;
        bool is_linkage = kesco_words_have("extern visible weak common", name + 1, strlen(name + 1), false);
        if (is_linkage)
            kesco_ptx_advance(&r->t);
        else if (!read_directive(r, name, linkage))
            return false;
        linkage.is_weak = is_linkage && (linkage.is_weak || strcmp(name, ".weak") == 0);
        linkage.is_any = is_linkage;
    }
    return !r->t.error && (r->out->target != 0 || refuse(r, "no target"));
}

int kesco_ptx_module_read(struct kesco_ptx_module *module, const char *text, size_t length,
                          const char **problem) {
    struct reader r = {.out = module};
    *module = (struct kesco_ptx_module){0};
    kesco_ptx_tokens_begin(&r.t, text, length, /*escaped=*/false);
    read_all(&r);
    module->names = r.t.names;
    free(r.t.plain);
    if (r.t.error)
        kesco_ptx_module_free(module);
    *problem = r.t.problem;
    return r.t.error;
}

void kesco_ptx_module_free(struct kesco_ptx_module *module) {
    for (size_t i = 0; i < module->function_count; i++) {
        free(module->functions[i].parameters);
        kesco_ptx_free(&module->functions[i].body);
    }
    for (size_t i = 0; i < module->variable_count; i++)
        free(module->variables[i].text);
    free(module->variables);
    free(module->functions);
    free(module->names);
    *module = (struct kesco_ptx_module){0};
}
