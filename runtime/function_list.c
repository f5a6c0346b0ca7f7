#include "runtime/function_list.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 /* brackets within brackets: what is deeper counts as closed */ };

/* A text that is being read from left to right. */
struct reader {
    const char *begin, *at;
    uint32_t depth;     /* how many brackets are open */
    char open[DEEPEST]; /* which */
};

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

/* How long the name of an operator function is that the text begins with, template arguments left out. */
static size_t measure_operator(const char *text) {
    static const char word[] = "operator";
    const size_t size = sizeof word - 1;
    const char *symbol = text + size;

    if (strncmp(text, word, size) != 0 || is_word(*symbol))
        return 0;
    if (strncmp(symbol, "()", 2) == 0 || strncmp(symbol, "[]", 2) == 0)
        return size + 2;
    if (*symbol == ',')
        return size + 1;
    if (*symbol == ' ' || *symbol == '"')
        return size + strcspn(symbol, "(,");
    return size + strspn(symbol, "+-*/%^&|~!=<>");
}

static char bracket_that_closes(char c) {
    switch (c) {
    case '(':
        return ')';
    case '[':
        return ']';
    case '{':
        return '}';
    case '<':
        return '>';
    default:
        return '\0';
    }
}

static void open_bracket(struct reader *reader, char c) {
    if (reader->depth < DEEPEST)
        reader->open[reader->depth++] = bracket_that_closes(c);
}

/* Directly within other brackets than '<', a '<' or '>' is none. */
static void close_bracket(struct reader *reader, char c) {
    uint32_t depth = reader->depth;

    if (c != '>')
        while (depth > 0 && reader->open[depth - 1] != c)
            depth--;
    if (depth > 0 && reader->open[depth - 1] == c)
        reader->depth = depth - 1;
}

/* Goes on to the next place that may mean something. */
static void step(struct reader *reader) {
    const char c = *reader->at;
    const bool begins_word = reader->at == reader->begin || !is_word(reader->at[-1]);
    const size_t size = begins_word ? measure_operator(reader->at) : 0;

    if (size > 0) {
        reader->at += size;
        return;
    }
    reader->at += c == '-' && reader->at[1] == '>' ? 2 : 1;
    if (bracket_that_closes(c) != '\0')
        open_bracket(reader, c);
    else if (strchr(")]}>", c) != NULL)
        close_bracket(reader, c);
}

/* The parts of a function's name: its own begin, those in brackets behind it, and the end of the last. */
struct parts {
    const char *own;            /* behind the return type, namespaces and classes */
    const char *arguments;      /* template arguments or an ABI tag; or the same as the next */
    const char *parameters;     /* or the end */
    const char *parameters_end; /* or the end */
};

/* Parameters stand right behind something, unlike what else comes in parentheses behind them. */
static void note_bracket(struct parts *parts, const struct reader *reader) {
    const char *at = reader->at;

    if (*at == '(' && at > reader->begin && at[-1] != ' ') {
        parts->parameters = at;
        parts->parameters_end = NULL;
    } else if ((*at == '<' || *at == '[') && parts->arguments == NULL)
        parts->arguments = at;
}

static void begin_own(struct parts *parts, const char *at) {
    parts->own = at;
    parts->arguments = parts->parameters = parts->parameters_end = NULL;
}

static struct parts find_parts(const char *function) {
    struct reader reader = {.begin = function, .at = function};
    struct parts parts = {.own = function};

    while (*reader.at != '\0') {
        const bool outside = reader.depth == 0;
        const bool within = parts.parameters != NULL && parts.parameters_end == NULL;
        if (outside && strncmp(reader.at, "::", 2) == 0)
            begin_own(&parts, reader.at + 2);
        else if (outside && *reader.at == ' ' && parts.parameters == NULL)
            begin_own(&parts, reader.at + 1);
        else if (outside && bracket_that_closes(*reader.at) != '\0')
            note_bracket(&parts, &reader);
        step(&reader);
        if (within && reader.depth == 0)
            parts.parameters_end = reader.at;
    }
    if (parts.parameters == NULL)
        parts.parameters = reader.at;
    if (parts.parameters_end == NULL)
        parts.parameters_end = reader.at;
    if (parts.arguments == NULL)
        parts.arguments = parts.parameters;
    return parts;
}

/* True if the name stands at `at`, as all that there is up to an end of the function's name. */
static bool is_at(const char *name, const char *at, const struct parts *parts) {
    const char *end = at + strlen(name);

    return strncmp(at, name, strlen(name)) == 0 && (*end == '\0' || end == parts->arguments ||
                                                    end == parts->parameters || end == parts->parameters_end);
}

static bool stands_for(const char *name, const char *function) {
    const struct parts parts = find_parts(function);
    struct reader reader = {.begin = function, .at = function};

    if (is_at(name, function, &parts))
        return true;
    while (reader.at < parts.own) {
        const bool begins = reader.depth == 0 && (*reader.at == ' ' || strncmp(reader.at, "::", 2) == 0);
        if (begins && is_at(name, reader.at + (*reader.at == ' ' ? 1 : 2), &parts))
            return true;
        step(&reader);
    }
    return false;
}

bool kesco_function_list_has(struct kesco_function_list *list, const char *function) {
    bool found = false;
    uint32_t i;

    for (i = 0; i < list->count; i++)
        if (stands_for(list->names[i].text, function)) {
            __atomic_store_n(&list->names[i].found, true, __ATOMIC_RELAXED);
            found = true;
        }
    return found;
}

/* Ends what was read so far of a name, without spaces at both ends. Returns 0 or -EINVAL. */
static int end_name(struct kesco_function_name *name, char *begin, char *end) {
    while (begin < end && *begin == ' ')
        begin++;
    while (begin < end && end[-1] == ' ')
        end--;
    *end = '\0';
    name->text = begin;
    return begin < end ? 0 : -EINVAL;
}

/* The next comma between names, or the end. NULL: a bracket stays open. */
static char *find_end(char *begin) {
    struct reader reader = {.begin = begin, .at = begin};

    while (*reader.at != '\0' && (reader.depth > 0 || *reader.at != ','))
        step(&reader);
    return reader.depth == 0 ? begin + (reader.at - begin) : NULL;
}

/* There is room for as many names as the text has commas, and one more. */
static int split(struct kesco_function_list *list) {
    char *begin = list->text;
    bool is_last;

    do {
        char *end = find_end(begin);
        if (end == NULL)
            return -EINVAL;
        is_last = *end == '\0';
        if (end_name(&list->names[list->count++], begin, end) != 0)
            return -EINVAL;
        begin = end + 1;
    } while (!is_last);
    return 0;
}

static size_t count_commas(const char *text) {
    size_t count = 0;

    for (; *text != '\0'; text++)
        count += *text == ',';
    return count;
}

int kesco_function_list_read(struct kesco_function_list *list, const char *text) {
    int status = -ENOMEM;

    list->count = 0;
    list->text = strdup(text);
    list->names = calloc(count_commas(text) + 1, sizeof *list->names);
    if (list->text != NULL && list->names != NULL)
        status = split(list);
    if (status != 0)
        kesco_function_list_clear(list);
    return status;
}

void kesco_function_list_clear(struct kesco_function_list *list) {
    free(list->names);
    free(list->text);
    list->names = NULL;
    list->text = NULL;
    list->count = 0;
}
