/*
 * The file that a run writes for KESCO_TRACE=FILE: the "Trace Event Format" of Chrome, in its JSON object
 * form, which Perfetto (ui.perfetto.dev) and chrome://tracing open. Times are microseconds.
 *
 * A process is a device. It has a row for each lane of each host thread, `kesco lane N`; ops that went to
 * the program's own stream, because the region ran serially or because that is lane 0, are on a row `kesco
 * lane 0 (origin)`, or, where that is the legacy default stream, `kesco default stream` and in no lane.
 * After the name comes the thread, but for the first one, and a number where several streams served as the
 * same lane. A row `kesco regions` has the regions, from when the host opened one to when it closed it.
 *
 * An op is a complete event ("X"): its name and category (`kernel`, `copy`, ...), and as arguments `kind`,
 * `function`, `source` (file:line), `call_line` (where a helper of the function has it: of the call), `lane`,
 * `region` (the id of that region), `op` (its own). An arrow ("s", "f") leads from an op that was recorded to
 * the op that waited for it. `otherData` says where the times come from (`times`), how many ops have none and
 * are left out (`ops_left_out`), and how many regions were being captured, so that their ops have none
 * (`captured_regions`). What could run beside nothing, as its region was serial, is grey (`cname`).
 *
 * What else ran stands on rows `kesco does not manage: stream N`, in grey, where CUPTI tells of it;
 * `metadata` says whether it does (`outside_of_regions`).
 */
#ifndef KESCO_RUNTIME_WATCH_TRACE_FILE_H
#define KESCO_RUNTIME_WATCH_TRACE_FILE_H

#include "runtime/watch/trace.h"

#include <stdbool.h>
#include <stdio.h>

/* Writes the traces of all threads; `times` says where their times come from, and `has_others` whether what
 * else ran is among them. False: not all could be written, and errno says why. */
bool kesco_trace_file_print(FILE *file, struct kesco_trace *traces, const char *times, bool has_others);

#endif
