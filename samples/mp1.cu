/*
 * The KeSCo paper's first mix of tasks: one behind the other in the source, img, two vec and hits share the
 * GPU. See samples/mp1.h for arguments, sizes, exit status, and what is shared with the versions by hand.
 *
 * The source is serial: no stream in it. With KeSCo all run beside each other, and parts of each beside its
 * other parts; priorities say whose kernels come first.
 */
#include "samples/mp1.h"

static void run(struct mp1_data *data) {
    img::run(&data->img.data);
    vec::run(&data->vec1.data);
    vec::run(&data->vec2.data);
    hits::reset(&data->hits.data);
    hits::run_iterations(&data->hits.data);
}
