/*
 * samples/micro1.cu as it would be written by hand, to compare with: each branch has a stream of its own.
 */
#define HAS_SETUP

#include "samples/micro1_streams.h"

static void setup_run(struct micro1_data *) {
    streams_create(streams, BRANCHES);
    events_create(&event, 1);
}

static void teardown_run(void) {
    events_destroy(&event, 1);
    streams_destroy(streams, BRANCHES);
}

static void run(struct micro1_data *data) {
    FETCH_ON(data->x, data->values * sizeof(float), streams[0]);
    for (int layer = 0; layer < LAYERS; layer++)
        FETCH_ON(data->weights[layer], weights_of(layer) * sizeof(float), streams[0]);
    launch(data);
}
