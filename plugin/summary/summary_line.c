#include "plugin/summary/summary_line.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char flag_letters[] = "phtw"; /* by bit, the lowest first */

static const char kinds[] = "VDC"; /* of variables */

static const char *effect_word(unsigned effect) {
    static const char *const words[] = {"", "r", "w", "rw"};
    return words[effect & (KESCO_READS | KESCO_WRITES)];
}

static bool is_word(const char *text) {
    for (const char *c = text; *c; c++)
        if (isspace((unsigned char)*c) || iscntrl((unsigned char)*c))
            return false;
    return *text;
}

static void write_place(FILE *out, const char *place) {
    fputc(' ', out);
    if (!place || !*place)
        fputc('-', out);
    for (const char *c = place ? place : ""; *c; c++)
        fputc(isspace((unsigned char)*c) || iscntrl((unsigned char)*c) ? '_' : *c, out);
}

static void write_reason(FILE *out, const char *why) {
    fputc(' ', out);
    for (const char *c = why ? why : ""; *c; c++)
        fputc(iscntrl((unsigned char)*c) ? ' ' : *c, out);
    fputc('\n', out);
}

static void write_range(FILE *out, const struct kesco_parameter_access *access, const char *effect,
                        const char *range) {
    if (range)
        fprintf(out, "R %" PRIu32 " %" PRIu32 " %s %s\n", access->parameter, access->offset, effect, range);
}

int kesco_summary_lines_write(FILE *out, const struct kesco_summary *summary) {
    if (!is_word(summary->name))
        return -EINVAL;
    fprintf(out, "K %s\n", summary->name);
    for (size_t i = 0; i < summary->parameter_count; i++) {
        const struct kesco_parameter_access *access = &summary->parameters[i];
        fprintf(out, "P %" PRIu32 " %" PRIu32 " %s", access->parameter, access->offset,
                effect_word(access->effect));
        if (access->written_at)
            write_place(out, access->written_at);
        fputc('\n', out);
        write_range(out, access, "r", access->read_within);
        write_range(out, access, "w", access->written_within);
    }
    for (size_t i = 0; i < summary->variable_count; i++) {
        if (!is_word(summary->variables[i].name))
            return -EINVAL;
        fprintf(out, "%c %s %s\n", kinds[summary->variables[i].kind], summary->variables[i].name,
                effect_word(summary->variables[i].effect));
    }
    if (summary->flags & KESCO_FLAGS) {
        fputs("F ", out);
        for (unsigned bit = 0; flag_letters[bit]; bit++)
            if (summary->flags >> bit & 1)
                fputc(flag_letters[bit], out);
        fputc('\n', out);
    }
    if (summary->work)
        fprintf(out, "W %" PRIu32 "%s%s\n", summary->work, summary->work_range ? " " : "",
                summary->work_range ? summary->work_range : "");
    if (summary->beyond.effect) {
        fprintf(out, "A %s", effect_word(summary->beyond.effect));
        write_place(out, summary->beyond.at);
        write_reason(out, summary->beyond.why);
    }
    if (summary->hidden.runs) {
        fputc('U', out);
        write_place(out, summary->hidden.at);
        write_reason(out, summary->hidden.why);
    }
    return 0;
}

/* Cuts the next word off `rest`: NULL at the end of the line. */
static char *next_word(char **rest) {
    char *word = *rest;
    if (!word || !*word)
        return NULL;
    char *end = strchr(word, ' ');
    *rest = end ? end + 1 : NULL;
    if (end)
        *end = 0;
    return *word ? word : NULL;
}

bool kesco_summary_parse_number(const char *word, uint64_t most, uint64_t *number) {
    if (!word || !*word || strlen(word) > 20)
        return false;
    for (const char *c = word; *c; c++)
        if (!isdigit((unsigned char)*c))
            return false;
    errno = 0;
    unsigned long long value = strtoull(word, NULL, 10);
    *number = value;
    return !errno && value <= most;
}

/* 0 for what is no effect. */
static unsigned parse_effect(const char *word) {
    for (unsigned effect = KESCO_READS; word && effect <= (KESCO_READS | KESCO_WRITES); effect++)
        if (strcmp(word, effect_word(effect)) == 0)
            return effect;
    return 0;
}

/* Stores NULL for the place "-". */
static bool parse_place(const char *word, const char **place) {
    *place = word && strcmp(word, "-") == 0 ? NULL : word;
    return word;
}

/* What is left of a line, NULL where that is nothing. */
static const char *parse_reason(const char *rest) {
    return *rest ? rest : NULL;
}

static int parse_parameter(struct kesco_summary *summary, char *rest) {
    uint64_t parameter, offset;
    if (!kesco_summary_parse_number(next_word(&rest), UINT32_MAX, &parameter) ||
        !kesco_summary_parse_number(next_word(&rest), UINT32_MAX, &offset))
        return -EBADMSG;
    unsigned effect = parse_effect(next_word(&rest));
    const char *word = next_word(&rest), *place;
    (void)parse_place(word, &place);
    if (!effect || rest)
        return -EBADMSG;
    return kesco_summary_add_parameter(summary, (uint32_t)parameter, (uint32_t)offset, effect, place);
}

static int parse_range(struct kesco_summary *summary, char *rest) {
    uint64_t parameter, offset;
    if (!kesco_summary_parse_number(next_word(&rest), UINT32_MAX, &parameter) ||
        !kesco_summary_parse_number(next_word(&rest), UINT32_MAX, &offset))
        return -EBADMSG;
    unsigned effect = parse_effect(next_word(&rest));
    const char *text = next_word(&rest);
    if (!text || rest)
        return -EBADMSG;
    int err = kesco_summary_set_range(summary, (uint32_t)parameter, (uint32_t)offset, effect, text);
    return err == -EINVAL ? -EBADMSG : err;
}

static int parse_variable(struct kesco_summary *summary, char *rest, enum kesco_variable_kind kind) {
    const char *name = next_word(&rest);
    unsigned effect = parse_effect(next_word(&rest));
    return name && effect && !rest ? kesco_summary_add_variable(summary, name, effect, kind) : -EBADMSG;
}

static int parse_flags(struct kesco_summary *summary, char *rest) {
    const char *letters = next_word(&rest);
    if (!letters || rest)
        return -EBADMSG;
    for (; *letters; letters++) {
        const char *letter = strchr(flag_letters, *letters);
        if (!letter)
            return -EBADMSG;
        summary->flags |= 1u << (letter - flag_letters);
    }
    return 0;
}

static int parse_work(struct kesco_summary *summary, char *rest) {
    uint64_t work;
    if (!kesco_summary_parse_number(next_word(&rest), UINT32_MAX, &work))
        return -EBADMSG;
    const char *range = rest ? next_word(&rest) : NULL;
    if (rest)
        return -EBADMSG;
    int err = kesco_summary_add_work(summary, (uint32_t)work, range);
    return err == -EINVAL ? -EBADMSG : err;
}

static int parse_anywhere(struct kesco_summary *summary, char *rest) {
    const char *place;
    unsigned effect = parse_effect(next_word(&rest));
    if (!effect || !parse_place(next_word(&rest), &place) || !rest)
        return -EBADMSG;
    return kesco_summary_add_anywhere(summary, effect, parse_reason(rest), place);
}

static int parse_unseen(struct kesco_summary *summary, char *rest) {
    const char *place;
    if (!parse_place(next_word(&rest), &place) || !rest)
        return -EBADMSG;
    return kesco_summary_add_unseen(summary, parse_reason(rest), place);
}

int kesco_summary_line_parse(struct kesco_summaries *set, struct kesco_summary **summary, char *line) {
    char kind = *line;
    if (!kind || line[1] != ' ')
        return -EBADMSG;
    char *rest = line + 2;
    if (kind == 'K') {
        const char *name = next_word(&rest);
        if (!name || rest)
            return -EBADMSG;
        *summary = kesco_summaries_add(set, name);
        return *summary ? 0 : -ENOMEM;
    }
    if (!*summary)
        return -EBADMSG;
    switch (kind) {
    case 'P':
        return parse_parameter(*summary, rest);
    case 'R':
        return parse_range(*summary, rest);
    case 'V':
        return parse_variable(*summary, rest, KESCO_VARIABLE);
    case 'D':
        return parse_variable(*summary, rest, KESCO_VARIABLE_READ);
    case 'C':
        return parse_variable(*summary, rest, KESCO_CONSTANT);
    case 'F':
        return parse_flags(*summary, rest);
    case 'W':
        return parse_work(*summary, rest);
    case 'A':
        return parse_anywhere(*summary, rest);
    case 'U':
        return parse_unseen(*summary, rest);
    default:
        return -EBADMSG;
    }
}
