/*
 * Heat in a rod, in 200 steps of three kernels each. See samples/chain.h for what it models, arguments,
 * sizes, exit status, and what is shared with the version by hand.
 *
 *   for each step:
 *     spread(now -> next)
 *     heat(next, strength)
 *     cool(next)
 *     now and then: largest_change(next, now -> change), which goes to the host
 *     now and next are swapped
 *
 * The source is serial: no graph in it, and not a word for KeSCo. With KeSCo the launches of several steps
 * become one graph, once that pays.
 */
#include "samples/chain.h"

static void run(struct chain_data *data) {
    unsigned blocks = blocks_of(data->places);
    float *now = data->now, *next = data->next;
    begin<<<blocks, BLOCK>>>(now, data->places);
    for (int step = 0; step < STEPS; step++) {
        spread<<<blocks, BLOCK>>>(next, now, data->places);
        heat<<<blocks, BLOCK>>>(next, data->places, strength_of(step));
        cool<<<blocks, BLOCK>>>(next, data->places);
        if (step % LOOK == LOOK - 1) {
            largest_change<<<blocks_of(blocks), BLOCK>>>(data->change, next, now, data->places);
            look(data, step);
        }
        float *swapped = now;
        now = next;
        next = swapped;
    }
    CHECK(cudaGetLastError());
}
