/* Where PTX is found: in fatbinaries, as fatbinary.h says, and beside nvcc's host code, as nvcc_files.h says.
 */
#include "plugin/kernels/fatbinary.h"
#include "plugin/kernels/nvcc_files.h"
#include "test/cmocka.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FILE_HEADER = 16,
    PART_HEADER = 0x40,
    PTX = 1,
    MACHINE_CODE = 2,
    OTHER = 4,
    LZ4 = 0x2000,
    ZSTD = 0x8000
};

/* A fatbinary that is made. */
struct image {
    unsigned char bytes[1024];
    size_t size;
};

static void put(unsigned char *to, uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; i++)
        to[i] = (unsigned char)(value >> (8 * i));
}

static void begin(struct image *image) {
    *image = (struct image){.size = FILE_HEADER};
    put(image->bytes + 6, FILE_HEADER, 2);
}

/* `whole`: how long the payload is when it is no longer compressed. */
static void add_part(struct image *image, unsigned kind, unsigned target, const char *payload, uint64_t flags,
                     uint64_t whole) {
    const size_t size = strlen(payload) + 1;
    unsigned char *part = image->bytes + image->size;
    assert_true(image->size + PART_HEADER + size <= sizeof(image->bytes));
    put(part, kind, 2);
    put(part + 4, PART_HEADER, 4);
    put(part + 8, size, 8);
    put(part + 0x10, size, 4);
    put(part + 0x1c, target, 4);
    put(part + 0x28, flags, 8);
    put(part + 0x38, whole, 8);
    memcpy(part + PART_HEADER, payload, size);
    image->size += PART_HEADER + size;
    put(image->bytes + 8, image->size - FILE_HEADER, 8);
}

/* Stands for zstd: takes a letter for two. */
static int double_letters(void *context, const void *from, size_t from_size, void *to, size_t *size,
                          const char **problem) {
    (void)context;
    if (2 * from_size > *size) {
        *problem = "too long";
        return -EBADMSG;
    }
    for (size_t i = 0; i < from_size; i++)
        memset((char *)to + 2 * i, ((const char *)from)[i], 2);
    *size = 2 * from_size;
    return 0;
}

static const struct kesco_decompressor decompressor = {double_letters, NULL}, no_decompressor = {NULL, NULL};

/* The texts of the image with a blank behind each; "!" and the problem where it has one. The caller frees it.
 */
static char *ptx_of(const void *bytes, size_t size, const struct kesco_decompressor *how) {
    struct kesco_ptx_texts texts = {0};
    const char *problem = NULL;
    char *found;
    size_t length;
    FILE *out = open_memstream(&found, &length);
    assert_non_null(out);
    const int error = kesco_fatbinary_find_ptx(bytes, size, how, &texts, &problem);
    assert_int_equal(error == -EBADMSG, problem != NULL);
    if (problem)
        fprintf(out, "!%s", problem);
    for (size_t i = 0; i < texts.count; i++) {
        assert_int_equal(fwrite(texts.items[i].bytes, 1, texts.items[i].size, out), texts.items[i].size);
        fputc(' ', out);
    }
    assert_int_equal(fclose(out), 0);
    kesco_ptx_texts_free(&texts);
    return found;
}

static void assert_ptx(const struct image *image, const struct kesco_decompressor *how,
                       const char *expected) {
    char *found = ptx_of(image->bytes, image->size, how);
    assert_string_equal(found, expected);
    free(found);
}

static void each_architecture_has_its_text(void **state) {
    struct image image;
    (void)state;
    begin(&image);
    assert_ptx(&image, &decompressor, "");
    add_part(&image, PTX, 80, "eighty", 0, 0);
    add_part(&image, MACHINE_CODE, 80, "code", 0, 0);
    add_part(&image, PTX, 90, "ninety", 0, 0);
    assert_ptx(&image, &decompressor, "eighty ninety ");
}

static void ptx_counts_only_where_it_is_all(void **state) {
    struct image image;
    (void)state;
    begin(&image);
    add_part(&image, PTX, 80, "eighty", 0, 0);
    add_part(&image, MACHINE_CODE, 90, "code", 0, 0);
    assert_ptx(&image, &decompressor, "");
    begin(&image);
    add_part(&image, PTX, 80, "eighty", 0, 0);
    add_part(&image, OTHER, 80, "what?", 0, 0);
    assert_ptx(&image, &decompressor, "");
}

static void parts_may_be_compressed(void **state) {
    struct image image;
    (void)state;
    begin(&image);
    add_part(&image, PTX, 80, "ab", ZSTD, 6);
    assert_ptx(&image, &decompressor, "aabb ");
    assert_ptx(&image, &no_decompressor, "!it is compressed in a way that is not known");
    begin(&image);
    add_part(&image, PTX, 80, "ab", ZSTD, 5);
    assert_ptx(&image, &decompressor, "!too long");
    begin(&image);
    add_part(&image, PTX, 80, "ab", LZ4, 6);
    assert_ptx(&image, &decompressor, "!it is compressed in a way that is not known");
    begin(&image);
    add_part(&image, PTX, 80, "ab", ZSTD, (uint64_t)1 << 33);
    assert_ptx(&image, &decompressor, "!it is damaged");
}

/* The bytes stand at the end of what is allocated, for sanitizers. */
static void what_ends_early_is_damaged(void **state) {
    struct image image;
    (void)state;
    begin(&image);
    add_part(&image, PTX, 80, "eighty", 0, 0);
    for (size_t size = 0; size < image.size; size++) {
        unsigned char *bytes = malloc(size + 1);
        assert_non_null(bytes);
        memcpy(bytes + 1, image.bytes, size);
        char *found = ptx_of(bytes + 1, size, &decompressor);
        assert_string_equal(found, "!it is damaged");
        free(found);
        free(bytes);
    }
}

static void sizes_that_cannot_be_are_damage(void **state) {
    static const size_t sizes[] = {8, FILE_HEADER + 4, FILE_HEADER + 8};
    struct image image;
    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        begin(&image);
        add_part(&image, PTX, 80, "eighty", 0, 0);
        put(image.bytes + sizes[i], UINT32_MAX, 4);
        assert_ptx(&image, &decompressor, "!it is damaged");
        put(image.bytes + sizes[i], 1, 4);
        assert_ptx(&image, &decompressor, "!it is damaged");
    }
    /* a header with nothing of what a header has, and a payload that takes its place */
    begin(&image);
    add_part(&image, PTX, 80, "eighty", 0, 0);
    put(image.bytes + FILE_HEADER + 4, PART_HEADER / 2, 4);
    put(image.bytes + FILE_HEADER + 8, PART_HEADER / 2 + sizeof("eighty"), 8);
    assert_ptx(&image, &decompressor, "!it is damaged");
}

/* Files of nvcc's, in a folder of their own */

static void write_file(const char *folder, const char *name) {
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("text", file);
    assert_int_equal(fclose(file), 0);
}

/* Looks for the PTX of the first of the files, among all of them, which are removed then. Returns how many
 * texts there are, or -EBADMSG with `problem`. */
static int find_beside(const char *const *files, size_t count, char *problem, size_t problem_size) {
    char folder[] = "/tmp/kesco-images-XXXXXX", path[256];
    struct kesco_ptx_texts texts = {0};
    const char *said = NULL;
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < count; i++)
        write_file(folder, files[i]);
    snprintf(path, sizeof(path), "%s/%s", folder, files[0]);
    const int error = kesco_nvcc_find_ptx(path, &texts, &said);
    const int found = error ? error : (int)texts.count;
    snprintf(problem, problem_size, "%s", said ? said : "");
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(folder), 0);
    kesco_ptx_texts_free(&texts);
    return found;
}

#define FIND(files, problem) find_beside(files, sizeof(files) / sizeof(*(files)), problem, sizeof(problem))

static void ptx_stands_beside_the_host_code(void **state) {
    static const char *const one[] = {"app.cudafe1.cpp", "app.cpp1.ii", "app.ptx", "other.ptx"};
    static const char *const two[] = {
        "tmpxft_1_0-5_app.compute_90.cudafe1.cpp", "tmpxft_1_0-6_app.compute_90.cpp1.ii",
        "tmpxft_1_0-7_app.compute_90.ptx",         "tmpxft_1_0-8_app.compute_80.cpp1.ii",
        "tmpxft_1_0-9_app.compute_80.ptx",         "tmpxft_2_0-9_app.compute_80.ptx",
    };
    char problem[256];
    (void)state;
    assert_true(kesco_is_nvcc_host(one[0]));
    assert_false(kesco_is_nvcc_host("app.cpp"));
    assert_int_equal(FIND(one, problem), 1);
    assert_int_equal(FIND(two, problem), 2);
}

static void each_source_must_have_its_ptx(void **state) {
    static const char *const none[] = {"app.cudafe1.cpp", "app.compute_90.ptx"};
    static const char *const missing[] = {"app.compute_90.cudafe1.cpp", "app.compute_90.ptx",
                                          "app.compute_90.cpp1.ii", "app.compute_80.cpp1.ii"};
    char problem[256];
    (void)state;
    assert_int_equal(FIND(none, problem), -EBADMSG);
    assert_string_equal(problem, "there is no PTX beside it");
    assert_int_equal(FIND(missing, problem), -EBADMSG);
    assert_string_equal(problem,
                        "there is no PTX for compute_80, as with link time optimisation of device code");
}

static void a_folder_that_is_none_is_told(void **state) {
    struct kesco_ptx_texts texts = {0};
    const char *problem = NULL;
    (void)state;
    assert_int_equal(kesco_nvcc_find_ptx("/tmp/kesco/is/not/here.cudafe1.cpp", &texts, &problem), -EBADMSG);
    assert_string_equal(problem, "its folder cannot be read: No such file or directory");
    kesco_ptx_texts_free(&texts);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_architecture_has_its_text),  cmocka_unit_test(ptx_counts_only_where_it_is_all),
        cmocka_unit_test(parts_may_be_compressed),         cmocka_unit_test(what_ends_early_is_damaged),
        cmocka_unit_test(sizes_that_cannot_be_are_damage), cmocka_unit_test(ptx_stands_beside_the_host_code),
        cmocka_unit_test(each_source_must_have_its_ptx),   cmocka_unit_test(a_folder_that_is_none_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
