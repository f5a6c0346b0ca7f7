#include "plugin/assembly/ptx_variable.h"

#include "plugin/words.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

bool kesco_ptx_is_space(const char *directive) {
    static const char spaces[] = "const global local param shared tex";
    return kesco_words_have(spaces, directive + 1, strlen(directive + 1), false);
}

static bool refuse(struct kesco_ptx_tokens *t) {
    return kesco_ptx_tokens_fail(t, -EBADMSG, "a declaration");
}

/* In bytes; 0 for what is no type of a number. References to textures are handles. */
static uint64_t size_of(const char *type) {
    uint64_t bits = 0;
    if (kesco_words_have("texref samplerref surfref", type, strlen(type), false))
        return 8;
    if (!strchr("busf", type[0]) || !kesco_ptx_read_digits(type + 1, strlen(type + 1), 10, &bits))
        return strcmp(type, "f16x2") == 0 || strcmp(type, "bf16x2") == 0 ? 4 : 0;
    return bits / 8;
}

/* (.managed) */
static void read_attribute(struct kesco_ptx_tokens *t, struct kesco_ptx_variable *variable) {
    while (t->token.kind != KESCO_PTX_END && !kesco_ptx_at_sign(t, ')')) {
        variable->is_managed |= t->token.kind == KESCO_PTX_PART && strcmp(t->token.text, ".managed") == 0;
        kesco_ptx_advance(t);
    }
    kesco_ptx_take_sign(t, ')');
}

/* What stands before the name. `lanes`: of a vector. */
static bool read_qualifiers(struct kesco_ptx_tokens *t, struct kesco_ptx_variable *variable,
                            uint64_t *lanes) {
    while (t->token.kind == KESCO_PTX_PART) {
        const char *part = t->token.text + 1;
        kesco_ptx_advance(t);
        if (strcmp(part, "align") == 0) {
            if (t->token.kind != KESCO_PTX_NUMBER)
                return refuse(t);
            kesco_ptx_advance(t);
        } else if (strcmp(part, "attribute") == 0) {
            read_attribute(t, variable);
        } else if (strcmp(part, "ptr") == 0) {
            variable->is_pointer = true;
        } else if (part[0] == 'v' && isdigit((unsigned char)part[1]) && !part[2]) {
            *lanes = (uint64_t)(part[1] - '0');
        } else if (!variable->type) {
            variable->type = part;
        } else if (!variable->is_pointer) { /* else the space that it leads to */
            return refuse(t);
        }
    }
    return true;
}

static bool read_dimensions(struct kesco_ptx_tokens *t, struct kesco_ptx_variable *variable) {
    while (kesco_ptx_take_sign(t, '[')) {
        uint64_t count = 0;
        variable->is_array = true;
        if (t->token.kind == KESCO_PTX_NUMBER) {
            count = t->token.constant.bits;
            kesco_ptx_advance(t);
        }
        if (!kesco_ptx_take_sign(t, ']') || (count != 0 && variable->size > UINT64_MAX / count))
            return refuse(t);
        variable->size *= count;
    }
    return true;
}

bool kesco_ptx_read_variable(struct kesco_ptx_tokens *t, const char *space,
                             struct kesco_ptx_variable *variable) {
    uint64_t lanes = 1;
    *variable = (struct kesco_ptx_variable){.space = space};
    if (!read_qualifiers(t, variable, &lanes) || !variable->type || t->token.kind != KESCO_PTX_WORD)
        return refuse(t);
    variable->size = lanes * size_of(variable->type);
    if (variable->size == 0)
        return refuse(t);
    variable->name = t->token.text;
    kesco_ptx_advance(t);
    return read_dimensions(t, variable);
}
