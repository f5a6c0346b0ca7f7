/* The tokens of PTX (PTX ISA, "Lexical Elements"), for the reader of its statements, ptx.c. */
#ifndef KESCO_PLUGIN_ASSEMBLY_PTX_TOKEN_H
#define KESCO_PLUGIN_ASSEMBLY_PTX_TOKEN_H

#include "plugin/assembly/ptx.h"

enum kesco_ptx_token_kind {
    KESCO_PTX_END,
    KESCO_PTX_WORD,    /* a name or an opcode up to its first point */
    KESCO_PTX_PART,    /* with a point before it */
    KESCO_PTX_NUMBER,  /* a constant */
    KESCO_PTX_OPERAND, /* of the inline assembly */
    KESCO_PTX_STRING,  /* in quotes */
    KESCO_PTX_SIGN,
};

struct kesco_ptx_token {
    enum kesco_ptx_token_kind kind;
    char *text;                     /* WORD and PART, the latter with its point; among the names */
    char sign;                      /* SIGN */
    struct kesco_ptx_term constant; /* NUMBER: its kind and bits */
    unsigned operand;               /* OPERAND */
};

/* Where a text is read. */
struct kesco_ptx_tokens {
    char *plain; /* the text without escapes */
    const char *at, *end;
    struct kesco_ptx_token token; /* the next one; END after an error */
    char *names;                  /* one after another, with room for all */
    size_t name_length;
    int error; /* 0, -ENOMEM or -EBADMSG: the first one that was */
    const char *problem;
};

/* Begins to read the `length` bytes at `text`; the first token is the next one then. `escaped`: in LLVM's
 * form, as inline assembly is. Whatever happens, `plain` and `names` are to be freed. */
void kesco_ptx_tokens_begin(struct kesco_ptx_tokens *t, const char *text, size_t length, bool escaped);

/* Notes an error, unless there is one. Returns false. */
bool kesco_ptx_tokens_fail(struct kesco_ptx_tokens *t, int error, const char *problem);

/* The array of `count` elements of `size` bytes with room for one more: they have room for the next power of
 * two. NULL without memory, which is noted; the array is then as it was. */
void *kesco_ptx_tokens_enlarge(struct kesco_ptx_tokens *t, void *array, size_t count, size_t size);

/* Takes the next token. */
void kesco_ptx_advance(struct kesco_ptx_tokens *t);

/* Takes what is left of the line in which the next token stands. */
void kesco_ptx_skip_line(struct kesco_ptx_tokens *t);

bool kesco_ptx_at_sign(const struct kesco_ptx_tokens *t, char sign);

/* True at one of `signs`. */
bool kesco_ptx_at_any_sign(const struct kesco_ptx_tokens *t, const char *signs);

/* Takes the next token if it is `sign`. */
bool kesco_ptx_take_sign(struct kesco_ptx_tokens *t, char sign);

/* Takes a WORD and the PARTs after it, whatever space is between them, and returns them as one name. */
const char *kesco_ptx_take_joined(struct kesco_ptx_tokens *t);

/* Reads digits, nothing else. False where that is no number of 64 bits. */
bool kesco_ptx_read_digits(const char *text, size_t length, unsigned base, uint64_t *bits);

#endif
