#define _GNU_SOURCE /* memmem */
#include "plugin/summary/summary_text.h"

#include "plugin/summary/hash.h"
#include "plugin/summary/summary_line.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK "\177KESCO-SUMMARY "
#define VERSION 10       /* of which one changed bit makes none that is read: 1, 2, 4, 7 and 8 are, too */
#define HEADER_DIGITS 16 /* of the checksum */
#define MOST_BYTES (1u << 26) /* of a text; more is damage */

/* Writing */

static int write_lines(const struct kesco_summaries *set, char **lines, size_t *length) {
    FILE *out = open_memstream(lines, length);
    if (!out)
        return -ENOMEM;
    int err = 0;
    for (size_t i = 0; i < set->count && !err; i++)
        err = kesco_summary_lines_write(out, &set->items[i]);
    if (fclose(out) != 0 && !err)
        err = -ENOMEM;
    if (err)
        free(*lines);
    return err;
}

int kesco_summary_text_write(const struct kesco_summaries *set, char **text, size_t *length) {
    char *lines;
    size_t line_length;
    int err = write_lines(set, &lines, &line_length);
    if (err)
        return err;
    FILE *out = open_memstream(text, length);
    if (!out) {
        free(lines);
        return -ENOMEM;
    }
    fprintf(out, MARK "%d %zu %016" PRIx64 "\n", VERSION, line_length, kesco_hash(lines, line_length));
    fwrite(lines, 1, line_length, out);
    free(lines);
    if (fclose(out) == 0)
        return 0;
    free(*text);
    return -ENOMEM;
}

/* Reading */

/* The writer leaves none in a line; so no mark of another text hides in one either. */
static bool has_control(const char *begin, const char *end) {
    for (const char *c = begin; c < end; c++)
        if (iscntrl((unsigned char)*c))
            return true;
    return false;
}

/* `lines`: terminated, `length` bytes, changed while it is read. */
static int parse_new_lines(struct kesco_summaries *set, char *lines, size_t length) {
    struct kesco_summary *summary = NULL;
    char *line = lines, *end = lines + length;
    while (line < end) {
        char *newline = memchr(line, '\n', (size_t)(end - line));
        if (!newline || has_control(line, newline))
            return -EBADMSG;
        *newline = 0;
        int err = kesco_summary_line_parse(set, &summary, line);
        if (err)
            return err;
        line = newline + 1;
    }
    return 0;
}

/* The same; another text may have said other things of the same kernels. */
static int parse_lines(struct kesco_summaries *set, char *lines, size_t length) {
    struct kesco_summaries read = {0};
    int err = parse_new_lines(&read, lines, length);
    if (!err)
        err = kesco_summaries_merge(set, &read);
    kesco_summaries_free(&read);
    return err;
}

static int fail(const char **problem, const char *why) {
    *problem = why;
    return -EBADMSG;
}

/* Cuts one word of the header, which ends with `stop`, into `word`. Moves `at` past it. */
static bool header_word(const char *bytes, size_t size, size_t *at, char stop, char word[24]) {
    size_t i = 0;
    for (; *at + i < size && i < 23 && bytes[*at + i] != stop; i++)
        word[i] = bytes[*at + i];
    word[i] = 0;
    if (*at + i >= size || bytes[*at + i] != stop || i == 0)
        return false;
    *at += i + 1;
    return true;
}

/* What stands between the mark and the lines. */
struct header {
    size_t size;   /* of itself, in bytes */
    size_t length; /* of the lines, in bytes */
    char checksum[24];
};

/* Reads the header whose mark ends at `bytes`, of which there are `size`. */
static int parse_header(struct header *header, const char *bytes, size_t size, const char **problem) {
    char word[24];
    size_t at = 0;
    uint64_t version, length;
    if (!header_word(bytes, size, &at, ' ', word) || !kesco_summary_parse_number(word, UINT64_MAX, &version))
        return fail(problem, "its header is damaged");
    if (version != 1 && version != 2 && version != 4 && version != 7 && version != 8 && version != VERSION)
        return fail(problem, "it is of another version of KeSCo");
    if (!header_word(bytes, size, &at, ' ', word) || !kesco_summary_parse_number(word, MOST_BYTES, &length))
        return fail(problem, "its header is damaged");
    if (!header_word(bytes, size, &at, '\n', header->checksum) || strlen(header->checksum) != HEADER_DIGITS)
        return fail(problem, "its header is damaged");
    header->size = at;
    header->length = (size_t)length;
    return 0;
}

/* Reads the text whose mark ends at `bytes`, of which there are `size`; it takes `used` of them. */
static int parse_text(struct kesco_summaries *set, const char *bytes, size_t size, size_t *used,
                      const char **problem) {
    struct header header;
    int err = parse_header(&header, bytes, size, problem);
    if (err)
        return err;
    if (header.length > size - header.size)
        return fail(problem, "it is truncated");
    char expected[HEADER_DIGITS + 1];
    snprintf(expected, sizeof(expected), "%016" PRIx64, kesco_hash(bytes + header.size, header.length));
    if (strcmp(expected, header.checksum) != 0)
        return fail(problem, "its checksum is wrong");
    *used = header.size + header.length;
    char *lines = malloc(header.length + 1);
    if (!lines)
        return -ENOMEM;
    memcpy(lines, bytes + header.size, header.length);
    lines[header.length] = 0;
    err = parse_lines(set, lines, header.length);
    free(lines);
    return err == -EBADMSG ? fail(problem, "it has a line that is none of a summary's") : err;
}

/* PTX has constants as numbers. Turns those at `text` into bytes, at most `most`, up to what is no number;
 * they take `used` characters. Returns how many. */
static size_t decode_ptx(const char *text, size_t size, char *bytes, size_t most, size_t *used) {
    size_t count = 0;
    *used = 0;
    for (size_t i = 0; i < size && count < most; *used = i) {
        unsigned value = 0, digits = 0;
        for (; i < size && isdigit((unsigned char)text[i]) && digits < 3; i++, digits++)
            value = 10 * value + (unsigned)(text[i] - '0');
        if (digits == 0 || value > 255)
            break;
        bytes[count++] = (char)value;
        while (i < size && (text[i] == ',' || isspace((unsigned char)text[i])))
            i++;
    }
    return count;
}

/* As parse_text. Decodes no more than the text has, so that the time for many texts grows only with their
 * length. */
static int parse_ptx(struct kesco_summaries *set, const char *text, size_t size, size_t *used,
                     const char **problem) {
    char start[3 * 24];
    struct header header;
    size_t count = decode_ptx(text, size, start, sizeof(start), used), decoded;
    int err = parse_header(&header, start, count, problem);
    if (err)
        return err;
    if (header.length > size)
        return fail(problem, "it is truncated");
    char *bytes = malloc(header.size + header.length);
    if (!bytes)
        return -ENOMEM;
    count = decode_ptx(text, size, bytes, header.size + header.length, used);
    err = parse_text(set, bytes, count, &decoded, problem);
    free(bytes);
    return err;
}

/* The forms of a text. */
static const struct {
    const char *mark;
    int (*parse)(struct kesco_summaries *set, const char *text, size_t size, size_t *used,
                 const char **problem);
} forms[] = {
    {MARK, parse_text},
    {"127, 75, 69, 83, 67, 79, 45, 83, 85, 77, 77, 65, 82, 89, 32, ", parse_ptx},
};
enum { FORMS = sizeof(forms) / sizeof(*forms) };

/* Where each form's mark stands next in the image; `end` where it does not. */
struct scan {
    const char *end;
    const char *next[FORMS];
};

static const char *find_mark(const struct scan *scan, size_t form, const char *at) {
    const char *found = memmem(at, (size_t)(scan->end - at), forms[form].mark, strlen(forms[form].mark));
    return found ? found : scan->end;
}

static void scan_begin(struct scan *scan, const char *image, size_t size) {
    scan->end = image + size;
    for (size_t i = 0; i < FORMS; i++)
        scan->next[i] = find_mark(scan, i, image);
}

/* Looks on from `at`, for the marks that stand before it. A text is not searched for texts. */
static void scan_from(struct scan *scan, const char *at) {
    for (size_t i = 0; i < FORMS; i++)
        if (scan->next[i] < at)
            scan->next[i] = find_mark(scan, i, at);
}

/* The form whose mark comes first. */
static size_t first_form(const struct scan *scan) {
    size_t first = 0;
    for (size_t i = 1; i < FORMS; i++)
        if (scan->next[i] < scan->next[first])
            first = i;
    return first;
}

static int read_all(struct kesco_summaries *set, const char *image, size_t size, size_t *found,
                    const char **problem) {
    struct scan scan;
    int err = 0;
    scan_begin(&scan, image, size);
    while (!err && scan.next[first_form(&scan)] < scan.end) {
        size_t form = first_form(&scan), used = 0;
        const char *at = scan.next[form] + strlen(forms[form].mark);
        *found += 1;
        err = forms[form].parse(set, at, (size_t)(scan.end - at), &used, problem);
        scan_from(&scan, at + used);
    }
    return err;
}

int kesco_summary_text_read(struct kesco_summaries *set, const void *image, size_t size, size_t *found,
                            const char **problem) {
    /* The sum of both takes the set's place once all has gone well. */
    struct kesco_summaries sum = {0};
    int err = kesco_summaries_merge(&sum, set);
    *found = 0;
    if (!err && size)
        err = read_all(&sum, image, size, found, problem);
    kesco_summaries_free(err ? &sum : set);
    if (!err)
        *set = sum;
    return err;
}

/* Overwrites a text, from its mark to its end, so that what holds it stays what it is. */
static void erase(char *begin, const char *end, bool numbers) {
    for (char *c = begin; c < end; c++)
        if (!numbers)
            *c = 0;
        else if (isdigit((unsigned char)*c))
            *c = '0';
}

size_t kesco_summary_text_erase(void *image, size_t size) {
    char *bytes = image;
    struct scan scan;
    size_t erased = 0;
    scan_begin(&scan, bytes, size);
    while (scan.next[first_form(&scan)] < scan.end) {
        struct kesco_summaries read = {0};
        const char *problem;
        size_t form = first_form(&scan), used = 0, begin = (size_t)(scan.next[form] - bytes);
        const char *at = scan.next[form] + strlen(forms[form].mark);
        if (forms[form].parse(&read, at, (size_t)(scan.end - at), &used, &problem) == 0) {
            erase(bytes + begin, at + used, forms[form].parse == parse_ptx);
            erased++;
        }
        kesco_summaries_free(&read);
        scan_from(&scan, at + used);
    }
    return erased;
}
