/* A set that has all that a summary can have, and what reads images. */
#ifndef KESCO_TEST_SUMMARY_EVERYTHING_H
#define KESCO_TEST_SUMMARY_EVERYTHING_H

#include "plugin/summary/summary_text.h"
#include "test/cmocka.h"
#include "test/summary/make_text.h"
#include "test/summary/same.h"

/* A set that tells all there is to tell. */
static inline struct kesco_summaries everything(void) {
    struct kesco_summaries set = {0};
    struct kesco_summary *k = kesco_summaries_add(&set, "_Z4blurPfPKfi");
    assert_non_null(k);
    assert_int_equal(kesco_summary_add_parameter(k, 0, 0, KESCO_READS | KESCO_WRITES, "12"), 0);
    assert_int_equal(kesco_summary_add_parameter(k, 1, 0, KESCO_READS, NULL), 0);
    assert_int_equal(kesco_summary_add_parameter(k, 2, 16, KESCO_WRITES, "lib/blur.h:7"), 0);
    assert_int_equal(kesco_summary_add_variable(k, "weights", KESCO_READS, KESCO_CONSTANT), 0);
    assert_int_equal(kesco_summary_add_variable(k, "_ZL5total", KESCO_READS | KESCO_WRITES, KESCO_VARIABLE),
                     0);
    k->flags = KESCO_FLAGS;
    assert_int_equal(kesco_summary_add_work(k, 4711, "0;9,a2:0:32,*"), 0);
    assert_int_equal(kesco_summary_add_anywhere(k, KESCO_WRITES, "writes through a pointer", "15"), 0);
    assert_int_equal(kesco_summary_add_unseen(k, "calls 'f'", "16"), 0);
    assert_non_null(kesco_summaries_add(&set, "empty"));
    return set;
}

static const char everything_as_text[] = "\177KESCO-SUMMARY 10 168 6729a01dae888019\n"
                                         "K _Z4blurPfPKfi\n"
                                         "P 0 0 rw 12\n"
                                         "P 1 0 r\n"
                                         "P 2 16 w lib/blur.h:7\n"
                                         "V _ZL5total rw\n"
                                         "C weights r\n"
                                         "F phtw\n"
                                         "W 4711 0;9,a2:0:32,*\n"
                                         "A w 15 writes through a pointer\n"
                                         "U 16 calls 'f'\n"
                                         "K empty\n";

/* Reading */

/* Reads the image, which has `texts` texts, into an empty set. */
static inline struct kesco_summaries read_image(const struct image *image, size_t texts) {
    struct kesco_summaries set = {0};
    const char *problem = NULL;
    size_t found;
    int err = kesco_summary_text_read(&set, image->bytes, image->size, &found, &problem);
    if (err)
        fail_msg("error %d: %s", err, problem);
    assert_int_equal(found, texts);
    return set;
}

#endif
