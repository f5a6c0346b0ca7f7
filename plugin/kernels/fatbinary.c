#include "plugin/kernels/fatbinary.h"

#include "plugin/summary/summary_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Flags of a part. */
#define COMPRESSED_BY_LZ4 0x2000u
#define COMPRESSED_BY_ZSTD 0x8000u

/* Kinds of parts. */
enum { IS_PTX = 1, IS_MACHINE_CODE = 2 };

#define LEAST_HEADER 0x40u
#define MOST_BYTES ((uint64_t)1 << 32) /* of a part; more is damage */

/* Bytes out of which little-endian fields and ranges are cut; what is not there makes it fail. */
struct fields {
    const unsigned char *bytes;
    size_t size;
    bool has_failed;
};

struct part {
    struct fields header, payload;
};

static uint64_t field(struct fields *f, uint64_t offset, unsigned size) {
    uint64_t value = 0;
    f->has_failed |= offset > f->size || size > f->size - offset;
    for (unsigned i = size; !f->has_failed && i-- > 0;)
        value = value << 8 | f->bytes[offset + i];
    return value;
}

static struct fields range(struct fields *f, uint64_t offset, uint64_t size) {
    f->has_failed |= offset > f->size || size > f->size - offset;
    if (f->has_failed)
        return (struct fields){0};
    return (struct fields){.bytes = f->bytes + offset, .size = size};
}

static int damaged(const char **problem) {
    *problem = "it is damaged";
    return -EBADMSG;
}

typedef int visitor(void *context, struct part *part, const char **problem);

/* The file's header has its size and that of what follows. */
static int visit_parts(const void *bytes, size_t size, visitor *visit, void *context, const char **problem) {
    struct fields file = {.bytes = bytes, .size = size};
    uint64_t at = field(&file, 6, 2);
    const uint64_t end = at + field(&file, 8, 8);
    while (!file.has_failed && at < end) {
        const uint64_t header_size = field(&file, at + 4, 4), payload_size = field(&file, at + 8, 8);
        struct part part = {.header = range(&file, at, header_size),
                            .payload = range(&file, at + header_size, payload_size)};
        if (file.has_failed || header_size < LEAST_HEADER)
            break;
        const int error = visit(context, &part, problem);
        if (error)
            return error;
        at += header_size + payload_size;
    }
    return file.has_failed || at != end ? damaged(problem) : 0;
}

/* Stores what is in a part: its payload itself, or `*made`, which the caller frees. */
static int unpack(struct part *part, const struct kesco_decompressor *decompressor, struct fields *content,
                  void **made, const char **problem) {
    const uint64_t flags = field(&part->header, 0x28, 8);
    *made = NULL;
    *content = part->payload;
    if (!(flags & (COMPRESSED_BY_LZ4 | COMPRESSED_BY_ZSTD)))
        return 0;
    if (!(flags & COMPRESSED_BY_ZSTD) || !decompressor->run) {
        *problem = "it is compressed in a way that is not known";
        return -EBADMSG;
    }
    const uint64_t whole = field(&part->header, 0x38, 8);
    const struct fields from = range(&part->payload, 0, field(&part->header, 0x10, 4));
    if (part->header.has_failed || from.size == 0 || whole > MOST_BYTES)
        return damaged(problem);
    *made = malloc(whole > 0 ? whole : 1);
    if (!*made)
        return -ENOMEM;
    *content = (struct fields){.bytes = *made, .size = whole};
    return decompressor->run(decompressor->context, from.bytes, from.size, *made, &content->size, problem);
}

/* Summaries */

struct summary_reader {
    const struct kesco_decompressor *decompressor;
    struct kesco_summaries *set;
};

static int read_summaries(void *context, struct part *part, const char **problem) {
    const struct summary_reader *reader = context;
    struct fields content;
    void *made;
    size_t found;
    int error = unpack(part, reader->decompressor, &content, &made, problem);
    if (!error)
        error = kesco_summary_text_read(reader->set, content.bytes, content.size, &found, problem);
    free(made);
    return error;
}

int kesco_fatbinary_read_summaries(const void *bytes, size_t size,
                                   const struct kesco_decompressor *decompressor, struct kesco_summaries *set,
                                   const char **problem) {
    struct summary_reader reader = {decompressor, set};
    return visit_parts(bytes, size, read_summaries, &reader, problem);
}

/* PTX */

/* An architecture that a part is for. */
struct architecture {
    uint64_t number;
    bool has_ptx;
};

struct ptx_finder {
    const struct kesco_decompressor *decompressor;
    struct kesco_ptx_texts *texts;
    struct architecture *architectures; /* room for one of each part */
    size_t count;
    bool has_other; /* code in another form */
};

static void note(struct ptx_finder *f, uint64_t number, bool is_ptx) {
    size_t i = 0;
    while (i < f->count && f->architectures[i].number != number)
        i++;
    if (i == f->count)
        f->architectures[f->count++].number = number;
    f->architectures[i].has_ptx |= is_ptx;
}

static int add_text(struct ptx_finder *f, struct part *part, const char **problem) {
    struct fields content;
    void *made;
    int error = unpack(part, f->decompressor, &content, &made, problem);
    while (!error && content.size > 0 && content.bytes[content.size - 1] == '\0')
        content.size--;
    char *text = error ? NULL : kesco_arena_alloc(&f->texts->memory, content.size);
    if (text && content.size > 0)
        memcpy(text, content.bytes, content.size);
    free(made);
    if (error)
        return error;
    return text ? kesco_ptx_texts_add(f->texts, (struct kesco_ptx_text){text, content.size}) : -ENOMEM;
}

static int find_ptx(void *context, struct part *part, const char **problem) {
    struct ptx_finder *f = context;
    const uint64_t kind = field(&part->header, 0, 2);
    f->has_other |= kind != IS_PTX && kind != IS_MACHINE_CODE;
    note(f, field(&part->header, 0x1c, 4), kind == IS_PTX);
    return kind == IS_PTX ? add_text(f, part, problem) : 0;
}

/* True if PTX is all code that there is. */
static bool has_all(const struct ptx_finder *f) {
    for (size_t i = 0; i < f->count; i++)
        if (!f->architectures[i].has_ptx)
            return false;
    return !f->has_other;
}

int kesco_fatbinary_find_ptx(const void *bytes, size_t size, const struct kesco_decompressor *decompressor,
                             struct kesco_ptx_texts *texts, const char **problem) {
    const size_t before = texts->count;
    struct ptx_finder f = {
        .decompressor = decompressor,
        .texts = texts,
        .architectures = calloc(size / LEAST_HEADER + 1, sizeof(*f.architectures)),
    };
    if (!f.architectures)
        return -ENOMEM;
    const int error = visit_parts(bytes, size, find_ptx, &f, problem);
    if (error || !has_all(&f))
        texts->count = before;
    free(f.architectures);
    return error;
}
