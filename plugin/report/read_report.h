/*
 * Reads reports back that kesco_report_write wrote (report.schema.json).
 */
#ifndef KESCO_REPORT_READ_REPORT_H
#define KESCO_REPORT_READ_REPORT_H

#include "plugin/report/report.h"
#include "plugin/schedule/arena.h"

#include <stdbool.h>

#define KESCO_READ_ERROR_SIZE 256

/*
 * Reads the file at `path` into `report`, all of it the arena's. Relative names of source files are made
 * absolute by the folder that the compiler ran in, where that is there, unless they are to be `as_given`.
 * Numbers name what is there, so that the report is fit for pictures. On an error returns a negative errno,
 * and `message` has a line for people that says what is wrong: -EINVAL for what is no report, or one of
 * another version; -ENOMEM; -EIO for a file that cannot be read; -ENODATA for other JSON, which has none of a
 * report's fields.
 */
int kesco_report_read(const char *path, bool as_given, struct kesco_arena *arena, struct kesco_report *report,
                      char message[KESCO_READ_ERROR_SIZE]);

#endif
