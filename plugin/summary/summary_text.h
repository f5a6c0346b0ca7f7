/*
 * The form in which summaries travel from the device compile to the host compile, as a constant in the device
 * image. Lines of text after a mark that nothing else has, so that they are found in whatever holds the
 * image:
 *
 *     \177KESCO-SUMMARY VERSION LENGTH CHECKSUM\n      LENGTH: bytes after this line, CHECKSUM: FNV-1a of
 *                                                      them, 64 bits as 16 hexadecimal digits
 *     the lines of all kernels (summary_line.h)
 *
 * A reader refuses a version that it does not know; version 10 is written here. Version 8, which has no range
 * in parts, version 7, which has no D, version 4, which has no range in pieces, version 2, whose W has no
 * range, and version 1, which has no R, are read too.
 */
#ifndef KESCO_SUMMARY_SUMMARY_TEXT_H
#define KESCO_SUMMARY_SUMMARY_TEXT_H

#include "plugin/summary/summary.h"

/* Stores the text of all of `set`, which the caller frees, and its length. White space in places becomes '_',
 * control characters in reasons become ' '. -EINVAL: a kernel's or variable's name is empty or has white
 * space in it. -ENOMEM. */
int kesco_summary_text_write(const struct kesco_summaries *set, char **text, size_t *length);

/*
 * Adds to `set` every summary in the `size` bytes at `image`: device code in any form that has constants
 * uncompressed, as bytes or, in PTX, as numbers. Kernels that are summarised more than once, as for several
 * architectures, get the union. `found` is set to the number of texts.
 *
 * -EBADMSG: one of them is damaged, truncated, or of another version; `problem` then says so in a line, and
 * `set` is as it was: what is left might not be all. -ENOMEM: `set` is as it was.
 */
int kesco_summary_text_read(struct kesco_summaries *set, const void *image, size_t size, size_t *found,
                            const char **problem);

/* Overwrites every text in the `size` bytes at `image` that kesco_summary_text_read would read, with zeros;
 * all else stays. Returns how many there were. */
size_t kesco_summary_text_erase(void *image, size_t size);

#endif
