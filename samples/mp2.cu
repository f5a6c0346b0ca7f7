/*
 * The KeSCo paper's second mix of tasks: one behind the other in the source, ml, dl and bs share the GPU. See
 * samples/mp2.h for arguments, sizes, exit status, and what is shared with the version by hand.
 *
 * The source is serial: no stream in it. With KeSCo all three run beside each other, and parts of each beside
 * its other parts; priorities say whose kernels come first.
 */
#include "samples/mp2.h"

static void run(struct mp2_data *data) {
    ml::run(&data->ml.data);
    dl::run(&data->dl.data);
    bs::run(&data->bs.data);
}
