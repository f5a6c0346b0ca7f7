/*
 * samples/micro1.cu as a CUDA graph, to compare with: captured once, launched as a whole.
 */
#define HAS_SETUP

#include "samples/micro1_streams.h"

CAPTURED_ONCE(micro1_data)

static void setup_run(struct micro1_data *data) {
    streams_create(streams, BRANCHES);
    events_create(&event, 1);
    capture_begin(streams, BRANCHES, event);
    launch(data);
    exec = capture_end(streams, 1, event);
    events_destroy(&event, 1);
    streams_destroy(streams, BRANCHES);
}
