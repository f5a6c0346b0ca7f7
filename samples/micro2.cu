/*
 * Multi-head attention: twelve heads look at the same text, in 49 kernels. See samples/micro2.h for what it
 * models, arguments, sizes, exit status, and what is shared with the versions by hand.
 *
 *   for each head h:
 *     project(x, weights[h] -> projected[h])
 *     score(projected[h] -> scores[h])
 *     softmax(-> scores[h])
 *     attend(scores[h], projected[h] -> attended[h])
 *   join(attended[0..11], mix -> z)
 *
 * The source is serial: no stream in it, and not a word for KeSCo. With KeSCo the heads run beside each
 * other.
 */
#include "samples/micro2.h"

static void run(struct micro2_data *data) {
    size_t words = data->words;
    FETCH(data->x, words * WIDTH * sizeof(float));
    FETCH(data->mix, sizeof(float) * WIDTH * WIDTH);
    for (int h = 0; h < HEADS; h++) {
        FETCH(data->weights[h], sizeof(float) * WIDTH * PROJECTED);
        project<<<blocks_of(words * PROJECTED), BLOCK>>>(data->projected[h], data->x, data->weights[h],
                                                         words);
        AWAIT();
        score<<<blocks_of(words * words), BLOCK>>>(data->scores[h], data->projected[h], words);
        AWAIT();
        softmax<<<blocks_of(words), BLOCK>>>(data->scores[h], words);
        AWAIT();
        attend<<<blocks_of(words * HEAD), BLOCK>>>(data->attended.of[h], data->scores[h], data->projected[h],
                                                   words);
        AWAIT();
    }
    join<<<blocks_of(words * WIDTH), BLOCK>>>(data->z, data->attended, data->mix, words);
    AWAIT();
    CHECK(cudaGetLastError());
}
