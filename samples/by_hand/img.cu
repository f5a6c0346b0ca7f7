/*
 * samples/img.cu as it would be written by hand, to compare with: each blur and what follows from it has a
 * stream of its own, and so has min, which runs beside max.
 */
#define HAS_SETUP

#include "samples/img_streams.h"

static void setup_run(struct img_data *) {
    streams_make();
}

static void teardown_run(void) {
    streams_end();
}

static void run(struct img_data *data) {
    FETCH_ON(data->image, data->size.values * sizeof(float), small);
    launch(data);
}
