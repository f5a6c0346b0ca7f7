#include "plugin/messages/summary_words.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
    unsigned flag;
    const char *text;
} flags[] = {{KESCO_PRINTS, "prints"},
             {KESCO_USES_HEAP, "uses the device heap"},
             {KESCO_MAY_TRAP, "may trap"},
             {KESCO_WAITS, "may wait for other blocks"}};

struct sentence {
    FILE *out;
    const struct kesco_summary_names *names;
    const char *between; /* parts */
    bool failed;         /* there was no memory */
};

/* Prints `text`, which is freed. */
static void put(struct sentence *sentence, char *text) {
    if (text)
        fputs(text, sentence->out);
    sentence->failed |= !text;
    free(text);
}

static void begin_part(struct sentence *sentence) {
    fputs(sentence->between, sentence->out);
    sentence->between = "; ";
}

/* Begins a part with `verb`, or goes on with its next object. */
static void begin_object(struct sentence *sentence, const char *verb, bool *is_begun) {
    if (!*is_begun)
        begin_part(sentence);
    fprintf(sentence->out, "%s", *is_begun ? ", " : verb);
    *is_begun = true;
}

static void print_accesses(struct sentence *sentence, const struct kesco_summary *summary, unsigned effect,
                           const char *verb) {
    const struct kesco_summary_names *names = sentence->names;
    bool is_begun = false;
    for (size_t i = 0; i < summary->parameter_count; i++) {
        const struct kesco_parameter_access *access = &summary->parameters[i];
        const char *within = effect == KESCO_READS ? access->read_within : access->written_within;
        if (!(access->effect & effect))
            continue;
        begin_object(sentence, verb, &is_begun);
        put(sentence, names->pointer(names->integers.context, access->parameter, access->offset));
        if (within)
            put(sentence, kesco_describe_range(within, &names->integers));
    }
    for (size_t i = 0; i < summary->variable_count; i++)
        if (summary->variables[i].effect & effect) {
            begin_object(sentence, verb, &is_begun);
            fputs("variable ", sentence->out);
            put(sentence, names->variable(summary->variables[i].name));
        }
}

static const char *verb_of(unsigned effect) {
    if (effect == (KESCO_READS | KESCO_WRITES))
        return "reads and writes";
    return effect == KESCO_WRITES ? "writes" : "reads";
}

static void print_unknown(struct sentence *sentence, const char *why, const char *at) {
    fputs(why, sentence->out);
    if (at)
        fprintf(sentence->out, " (line %s)", at);
}

static void print_summary(struct sentence *sentence, const struct kesco_summary *summary) {
    print_accesses(sentence, summary, KESCO_READS, "reads ");
    print_accesses(sentence, summary, KESCO_WRITES, "writes ");
    for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
        if (summary->flags & flags[i].flag) {
            begin_part(sentence);
            fputs(flags[i].text, sentence->out);
        }
    if (summary->beyond.effect) {
        begin_part(sentence);
        fprintf(sentence->out, "%s memory that no argument names: ", verb_of(summary->beyond.effect));
        print_unknown(sentence, summary->beyond.why, summary->beyond.at);
    }
    if (summary->hidden.runs) {
        begin_part(sentence);
        fputs("runs code that is not seen: ", sentence->out);
        print_unknown(sentence, summary->hidden.why, summary->hidden.at);
    }
    if (!*sentence->between)
        fputs("touches no memory", sentence->out);
}

char *kesco_summary_words(const struct kesco_summary *summary, const struct kesco_summary_names *names) {
    char *text = NULL;
    size_t size;
    struct sentence sentence = {.out = open_memstream(&text, &size), .names = names, .between = ""};
    if (!sentence.out)
        return NULL;
    print_summary(&sentence, summary);
    if (fclose(sentence.out) == 0 && !sentence.failed)
        return text;
    free(text);
    return NULL;
}
