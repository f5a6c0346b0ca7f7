#include "plugin/lift/opcode.h"

#include "plugin/assembly/ptx_token.h"
#include "plugin/device/address_space.h"
#include "plugin/words.h"

static bool is_word(struct kesco_opcode_part part, const char *words) {
    return kesco_words_have(words, part.text, part.length, false);
}

struct kesco_ptx_type kesco_ptx_type_find(const char *name, size_t length) {
    const struct kesco_opcode_part whole = {name, length};
    if (is_word(whole, "pred"))
        return (struct kesco_ptx_type){'b', 1};
    if (is_word(whole, "f16x2 bf16x2"))
        return (struct kesco_ptx_type){'f', 32};
    if (is_word(whole, "bf16"))
        return (struct kesco_ptx_type){'f', 16};
    uint64_t bits;
    if (length < 2 || !strchr("busf", *name) || !kesco_ptx_read_digits(name + 1, length - 1, 10, &bits) ||
        bits < 8 || bits > 128 || (bits & (bits - 1)) != 0)
        return (struct kesco_ptx_type){0};
    return (struct kesco_ptx_type){*name, bits};
}

static struct kesco_opcode_part part_at(const char *text) {
    return (struct kesco_opcode_part){text, strcspn(text, ".")};
}

struct kesco_opcode kesco_opcode_read(const char *text) {
    struct kesco_opcode code = {.base = part_at(text)};
    for (const char *point = text + code.base.length; *point;) {
        const struct kesco_opcode_part part = part_at(point + 1);
        const struct kesco_ptx_type type = kesco_ptx_type_find(part.text, part.length);
        if (code.rest_count + code.type_count == KESCO_OPCODE_PARTS)
            return (struct kesco_opcode){.base = {"", 0}};
        if (type.kind)
            code.types[code.type_count++] = type;
        else
            code.rest[code.rest_count++] = part;
        point = part.text + part.length;
    }
    return code;
}

bool kesco_opcode_is(const struct kesco_opcode *code, const char *names) {
    return is_word(code->base, names);
}

bool kesco_opcode_has(const struct kesco_opcode *code, const char *parts) {
    for (size_t i = 0; i < code->rest_count; i++)
        if (is_word(code->rest[i], parts))
            return true;
    return false;
}

bool kesco_opcode_has_only(const struct kesco_opcode *code, const char *allowed) {
    for (size_t i = 0; i < code->rest_count; i++)
        if (!is_word(code->rest[i], allowed))
            return false;
    return true;
}

bool kesco_opcode_is_integer(const struct kesco_opcode *code) {
    return code->type_count == 1 && code->types[0].kind != 'f' && code->types[0].bits > 1 &&
           code->types[0].bits <= 64;
}

bool kesco_opcode_is_signed(const struct kesco_opcode *code) {
    return code->type_count > 0 && code->types[code->type_count - 1].kind == 's';
}

unsigned kesco_opcode_lanes(const struct kesco_opcode *code) {
    if (kesco_opcode_has(code, "v8"))
        return 8;
    if (kesco_opcode_has(code, "v4"))
        return 4;
    return kesco_opcode_has(code, "v2") ? 2 : 1;
}

unsigned kesco_opcode_space(const struct kesco_opcode *code) {
    static const struct {
        const char *names;
        enum kesco_address_space space;
    } spaces[] = {
        {"shared shared::cta", KESCO_SPACE_SHARED},
        {"shared::cluster", KESCO_SPACE_CLUSTER},
        {"local", KESCO_SPACE_LOCAL},
        {"const", KESCO_SPACE_CONSTANT},
    };
    for (size_t i = 0; i < sizeof(spaces) / sizeof(*spaces); i++)
        if (kesco_opcode_has(code, spaces[i].names))
            return spaces[i].space;
    return KESCO_SPACE_GENERIC;
}
