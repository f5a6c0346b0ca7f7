/*
 * samples/img.cu as a CUDA graph, to compare with: captured once, launched as a whole.
 */
#define HAS_SETUP

#include "samples/img_streams.h"

CAPTURED_ONCE(img_data)

static void setup_run(struct img_data *data) {
    streams_make();
    capture_begin(streams, 4, event);
    launch(data);
    exec = capture_end(streams, 1, event);
    streams_end();
}
