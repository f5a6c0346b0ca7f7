/*
 * Writes the program's text, and leaves out statements that are not to be kept.
 *
 * Every statement has a number, given out in the order of generation. A statement that is left out is
 * generated all the same, so its absence changes nothing else: that is what makes a program reducible.
 */
#ifndef KESCO_TEST_FUZZ_WRITER_H
#define KESCO_TEST_FUZZ_WRITER_H

#include <stdbool.h>
#include <stdio.h>

struct text;

struct writer {
    FILE *out;
    const char *keep;   /* numbers of the statements to keep, "0-4,7,9-12"; NULL keeps all */
    unsigned next;      /* the next statement's number */
    unsigned indent;    /* blocks around what is written */
    unsigned mute;      /* statements around what is written that are left out */
    bool numbered;      /* the current statement's number is yet to be written, */
    unsigned number;    /* which is this */
    struct text *texts; /* handed out by writer_text */
};

/* False if `keep` is no such list. */
bool writer_keep_is_valid(const char *keep);

/* Begins a statement. Returns whether it is kept, which writer_end wants to hear at its end. */
bool writer_begin(struct writer *writer);
void writer_end(struct writer *writer, bool kept);

/* One line of the program. A line that ends in an opening brace indents what follows; one that starts with a
 * closing brace ends that. */
void writer_line(struct writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A text of at most 500 characters. It lives until writer_free_texts. Ends the process if there is no memory.
 */
const char *writer_text(struct writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));

void writer_free_texts(struct writer *writer);

#endif
