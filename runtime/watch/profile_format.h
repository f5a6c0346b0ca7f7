/*
 * The file that a run writes for KESCO_PROFILE=FILE: how long its ops took, in JSON (RFC 8259), UTF-8.
 *
 *   {"version": 1, "ops": [
 *     {"function": "run(int)", "file": "app.cu", "line": 12, "call_line": 40, "kind": "kernel", "name":
 * "blur", "count": 3, "mean_us": 41.625}]}
 *
 * One entry for each op that was timed, by function, file, lines, kind, and name, all of which together tell
 * it from the others. `file` and `line` are where the op itself stands, which may be in a helper of
 * `function`; `call_line` is the line in `function` where the helper is called, or the same. `file` is as the
 * compiler was given it, "" where unknown, and lines are 0 then; `function`, `kind`, and `name` are as in the
 * report. `count` is how often the op was timed, at least once,
 * and `mean_us` the mean of its times in microseconds, by the device's clock. Bytes of a name that are no
 * UTF-8 are U+FFFD.
 *
 * A time is that between two events around the op, with nothing beside it: profiled regions are serial. On an
 * idle device it includes what the host takes to issue the op after the first event, a few microseconds.
 * Where the op was done before the host came to record the second one, its time may be too long; such times
 * count only for ops that have no others, and then `mean_us` is the least of them.
 *
 * Readers refuse versions that they do not know, and ignore members that they do not know.
 */
#ifndef KESCO_RUNTIME_WATCH_PROFILE_FORMAT_H
#define KESCO_RUNTIME_WATCH_PROFILE_FORMAT_H

#define KESCO_PROFILE_VERSION 1

#define KESCO_PROFILE_KEY_VERSION "version"
#define KESCO_PROFILE_KEY_OPS "ops"
#define KESCO_PROFILE_KEY_FUNCTION "function"
#define KESCO_PROFILE_KEY_FILE "file"
#define KESCO_PROFILE_KEY_LINE "line"
#define KESCO_PROFILE_KEY_CALL_LINE "call_line"
#define KESCO_PROFILE_KEY_KIND "kind"
#define KESCO_PROFILE_KEY_NAME "name"
#define KESCO_PROFILE_KEY_COUNT "count"
#define KESCO_PROFILE_KEY_MEAN "mean_us"

#endif
