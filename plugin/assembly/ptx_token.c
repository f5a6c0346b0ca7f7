#include "plugin/assembly/ptx_token.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What the operands of inline assembly are in the text once its escapes are expanded: no characters of PTX.
 */
enum { OPERAND_BEGIN = 1, OPERAND_END = 2, UNIQUE = 3 };

bool kesco_ptx_tokens_fail(struct kesco_ptx_tokens *t, int error, const char *problem) {
    if (!t->error) {
        t->error = error;
        t->problem = problem;
    }
    t->token = (struct kesco_ptx_token){.kind = KESCO_PTX_END};
    return false;
}

void *kesco_ptx_tokens_enlarge(struct kesco_ptx_tokens *t, void *array, size_t count, size_t size) {
    if (array && (count & (count - 1)) != 0)
        return array;
    void *larger = realloc(array, (count ? 2 * count : 1) * size);
    if (!larger)
        kesco_ptx_tokens_fail(t, -ENOMEM, NULL);
    return larger;
}

static void refuse(struct kesco_ptx_tokens *t, const char *problem) {
    kesco_ptx_tokens_fail(t, -EBADMSG, problem);
}

/* LLVM's escapes (LLVM Language Reference, "Asm template argument modifiers") */

static char *write_operand(char *to, const char *digits, size_t length) {
    *to++ = OPERAND_BEGIN;
    memcpy(to, digits, length);
    to[length] = OPERAND_END;
    return to + length + 1;
}

static size_t count_digits(const char *text, const char *end) {
    size_t digits = 0;
    while (text + digits < end && isdigit((unsigned char)text[digits]))
        digits++;
    return digits;
}

/* Of those that print an operand as it is. */
static bool is_modifier(const char *text, size_t length) {
    return length == 0 || (length == 2 && (memcmp(text, ":c", 2) == 0 || memcmp(text, ":r", 2) == 0));
}

/* Expands the escape at `*at`, of which the dollar sign is taken. Returns the end of what it wrote. */
static char *expand_escape(struct kesco_ptx_tokens *t, const char **at, const char *end, char *to) {
    bool braced = **at == '{';
    const char *text = *at + braced;
    const char *close = braced ? memchr(text, '}', (size_t)(end - text)) : NULL;
    size_t digits = count_digits(text, end);
    *at = braced && close ? close + 1 : text + digits;
    if (braced && !close) {
        refuse(t, "an escape that is not closed");
    } else if (braced && close - text == 4 && memcmp(text, ":uid", 4) == 0) {
        *to++ = UNIQUE;
    } else if (!digits || (braced && !is_modifier(text + digits, (size_t)(close - text) - digits))) {
        refuse(t, "an escape");
    } else {
        to = write_operand(to, text, digits);
    }
    return to;
}

/* After the alternatives that are not taken, from `$|` on: at their parenthesis. */
static const char *skip_alternatives(struct kesco_ptx_tokens *t, const char *at, const char *end) {
    while (at + 1 < end && (at[0] != '$' || at[1] != ')'))
        at++;
    if (at + 1 < end)
        return at;
    refuse(t, "alternatives that are not closed");
    return end;
}

/* Into `to`, which has room for twice the text. Returns its end. */
static char *expand(struct kesco_ptx_tokens *t, const char *at, const char *end, char *to) {
    bool choosing = false;
    while (at < end && !t->error) {
        if ((unsigned char)*at <= UNIQUE) {
            refuse(t, "a control character");
        } else if (*at != '$' || (at + 1 < end && at[1] == '$')) {
            at += *at == '$';
            *to++ = *at++;
        } else if (++at == end) {
            refuse(t, "an escape");
        } else if (*at == '(' || (*at == ')' && choosing)) {
            choosing = *at++ == '(';
        } else if (*at == '|' && choosing) {
            at = skip_alternatives(t, at + 1, end);
        } else {
            to = expand_escape(t, &at, end, to);
        }
    }
    if (choosing)
        refuse(t, "alternatives that are not closed");
    return to;
}

/* Space and names */

static bool is_name_character(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == UNIQUE;
}

static bool begins(const struct kesco_ptx_tokens *t, const char *what) {
    size_t length = strlen(what);
    return (size_t)(t->end - t->at) >= length && memcmp(t->at, what, length) == 0;
}

static void skip_comment(struct kesco_ptx_tokens *t, const char *close) {
    t->at += 2;
    while (t->at < t->end && !begins(t, close))
        t->at++;
    if (t->at < t->end)
        t->at += strlen(close);
    else if (*close != '\n')
        refuse(t, "a comment that is not closed");
}

static void skip_space(struct kesco_ptx_tokens *t) {
    for (;;) {
        while (t->at < t->end && isspace((unsigned char)*t->at))
            t->at++;
        if (begins(t, "//"))
            skip_comment(t, "\n");
        else if (begins(t, "/*"))
            skip_comment(t, "*/");
        else
            return;
    }
}

/* Copies a name. There is room: each is shorter than what it takes of the text, and a zero. */
static char *keep(struct kesco_ptx_tokens *t, const char *text, size_t length) {
    char *name = t->names + t->name_length;
    for (size_t i = 0; i < length; i++)
        name[i] = text[i] == UNIQUE ? '#' : text[i];
    name[length] = 0;
    t->name_length += length + 1;
    return name;
}

static void read_name(struct kesco_ptx_tokens *t, enum kesco_ptx_token_kind kind) {
    const char *first = t->at;
    if (kind == KESCO_PTX_PART)
        t->at++;
    for (;;) {
        if (kind == KESCO_PTX_PART && begins(t, "::"))
            t->at += 2;
        else if (t->at < t->end && is_name_character(*t->at))
            t->at++;
        else
            break;
    }
    size_t length = (size_t)(t->at - first);
    t->token = (struct kesco_ptx_token){.kind = kind, .text = keep(t, first, length)};
    if (length == (kind == KESCO_PTX_PART) || (t->at < t->end && *t->at == OPERAND_BEGIN))
        refuse(t, "an operand within a name");
}

static void read_asm_operand(struct kesco_ptx_tokens *t) {
    uint64_t number = 0;
    const char *first = ++t->at;
    while (*t->at != OPERAND_END)
        t->at++;
    t->token = (struct kesco_ptx_token){.kind = KESCO_PTX_OPERAND};
    if (!kesco_ptx_read_digits(first, (size_t)(t->at - first), 10, &number) || number > UINT32_MAX)
        refuse(t, "an escape");
    t->at++;
    t->token.operand = (unsigned)number;
    if (t->at < t->end && (is_name_character(*t->at) || *t->at == OPERAND_BEGIN))
        refuse(t, "an operand within a name");
}

/* Constants (PTX ISA, "Constants") */

bool kesco_ptx_read_digits(const char *text, size_t length, unsigned base, uint64_t *bits) {
    *bits = 0;
    for (size_t i = 0; i < length; i++) {
        int c = tolower((unsigned char)text[i]);
        unsigned digit = isdigit(c) ? (unsigned)(c - '0') : (unsigned)(c - 'a') + 10;
        if (!isalnum(c) || digit >= base || *bits > (UINT64_MAX - digit) / base)
            return false;
        *bits = *bits * base + digit;
    }
    return length > 0;
}

static bool read_decimal(const char *text, size_t length, struct kesco_ptx_term *constant) {
    char copy[64], *end;
    if (length >= sizeof(copy))
        return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    double value = strtod(copy, &end);
    memcpy(&constant->bits, &value, sizeof(value));
    constant->kind = KESCO_PTX_DOUBLE;
    return !*end;
}

static bool read_constant(const char *text, size_t length, struct kesco_ptx_term *constant) {
    int mark = length > 1 && text[0] == '0' ? tolower((unsigned char)text[1]) : 0;
    if (mark == 'f' || mark == 'd') {
        constant->kind = mark == 'f' ? KESCO_PTX_SINGLE : KESCO_PTX_DOUBLE;
        return length == (mark == 'f' ? 10 : 18) &&
               kesco_ptx_read_digits(text + 2, length - 2, 16, &constant->bits);
    }
    if (memchr(text, '.', length) ||
        (mark != 'x' && (memchr(text, 'e', length) || memchr(text, 'E', length))))
        return read_decimal(text, length, constant);
    constant->kind = KESCO_PTX_INTEGER;
    if (text[length - 1] == 'U')
        length--;
    if (mark == 'x' || mark == 'b')
        return length > 2 &&
               kesco_ptx_read_digits(text + 2, length - 2, mark == 'x' ? 16 : 2, &constant->bits);
    return kesco_ptx_read_digits(text, length, mark ? 8 : 10, &constant->bits);
}

static void read_number(struct kesco_ptx_tokens *t) {
    const char *first = t->at;
    bool is_decimal = *first != '0' || (first + 1 < t->end && !isalpha((unsigned char)first[1]));
    while (t->at < t->end &&
           (is_name_character(*t->at) || *t->at == '.' ||
            ((*t->at == '-' || *t->at == '+') && is_decimal && tolower((unsigned char)t->at[-1]) == 'e')))
        t->at++;
    t->token = (struct kesco_ptx_token){.kind = KESCO_PTX_NUMBER};
    if (!read_constant(first, (size_t)(t->at - first), &t->token.constant))
        refuse(t, "a number");
    else if (t->at < t->end && *t->at == OPERAND_BEGIN)
        refuse(t, "an operand within a name");
}

/* The next token */

static void read_string(struct kesco_ptx_tokens *t) {
    t->at++;
    while (t->at < t->end && *t->at != '"')
        t->at += 1 + (*t->at == '\\' && t->at + 1 < t->end);
    if (t->at == t->end)
        refuse(t, "a string that is not closed");
    else
        t->at++;
    t->token = (struct kesco_ptx_token){.kind = t->error ? KESCO_PTX_END : KESCO_PTX_STRING};
}

void kesco_ptx_advance(struct kesco_ptx_tokens *t) {
    skip_space(t);
    t->token = (struct kesco_ptx_token){.kind = KESCO_PTX_END};
    if (t->error || t->at == t->end)
        return;
    if (isdigit((unsigned char)*t->at))
        read_number(t);
    else if (is_name_character(*t->at))
        read_name(t, KESCO_PTX_WORD);
    else if (*t->at == '.')
        read_name(t, KESCO_PTX_PART);
    else if (*t->at == OPERAND_BEGIN)
        read_asm_operand(t);
    else if (*t->at == '"')
        read_string(t);
    else
        t->token = (struct kesco_ptx_token){.kind = KESCO_PTX_SIGN, .sign = *t->at++};
}

void kesco_ptx_skip_line(struct kesco_ptx_tokens *t) {
    while (t->at < t->end && *t->at != '\n')
        t->at++;
    kesco_ptx_advance(t);
}

bool kesco_ptx_at_sign(const struct kesco_ptx_tokens *t, char sign) {
    return t->token.kind == KESCO_PTX_SIGN && t->token.sign == sign;
}

bool kesco_ptx_at_any_sign(const struct kesco_ptx_tokens *t, const char *signs) {
    return t->token.kind == KESCO_PTX_SIGN && strchr(signs, t->token.sign) != NULL;
}

bool kesco_ptx_take_sign(struct kesco_ptx_tokens *t, char sign) {
    if (!kesco_ptx_at_sign(t, sign))
        return false;
    kesco_ptx_advance(t);
    return true;
}

const char *kesco_ptx_take_joined(struct kesco_ptx_tokens *t) {
    char *name = t->token.text; /* the last of the names, so the next is right after it */
    kesco_ptx_advance(t);
    while (t->token.kind == KESCO_PTX_PART) {
        memmove(name + strlen(name), t->token.text, strlen(t->token.text) + 1);
        t->name_length = (size_t)(name - t->names) + strlen(name) + 1;
        kesco_ptx_advance(t);
    }
    return name;
}

void kesco_ptx_tokens_begin(struct kesco_ptx_tokens *t, const char *text, size_t length, bool escaped) {
    *t = (struct kesco_ptx_tokens){0};
    t->plain = calloc(2, length + 1);
    t->names = malloc(4 * length + 1); /* of a plain text of single characters */
    if (!t->plain || !t->names) {
        kesco_ptx_tokens_fail(t, -ENOMEM, NULL);
        return;
    }
    t->at = t->plain;
    if (escaped) {
        t->end = expand(t, text, text + length, t->plain);
    } else {
        memcpy(t->plain, text, length);
        t->end = t->plain + length;
    }
    kesco_ptx_advance(t);
}
