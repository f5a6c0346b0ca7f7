/*
 * NVIDIA's fatbinaries, as fatbinary of CUDA 13.0 writes them: a header, and parts, each after a header of
 * its own. Parts may be compressed with zstd.
 */
#ifndef KESCO_PLUGIN_KERNELS_FATBINARY_H
#define KESCO_PLUGIN_KERNELS_FATBINARY_H

#include "plugin/kernels/ptx_texts.h"
#include "plugin/summary/summary.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What has zstd. */
struct kesco_decompressor {
    /* Makes of `from_size` bytes `*size` ones at most, and stores how many. -EBADMSG: they are none that are
     * compressed, and `problem` says so in a line. */
    int (*run)(void *context, const void *from, size_t from_size, void *to, size_t *size,
               const char **problem);
    void *context; /* what it is called with */
};

/* Adds to `set` every summary in the `size` bytes at `bytes`, a fatbinary. -EBADMSG: it is damaged, or not
 * understood, and `problem` says so in a line; part of its summaries are in `set`. -ENOMEM. */
int kesco_fatbinary_read_summaries(const void *bytes, size_t size,
                                   const struct kesco_decompressor *decompressor, struct kesco_summaries *set,
                                   const char **problem);

/* Adds the PTX in a fatbinary, one text for each architecture that it has code for; none where that is not
 * all of its code. The same errors. */
int kesco_fatbinary_find_ptx(const void *bytes, size_t size, const struct kesco_decompressor *decompressor,
                             struct kesco_ptx_texts *texts, const char **problem);

#ifdef __cplusplus
}
#endif

#endif
