/*
 * samples/micro2.cu with Taskflow, to compare with (samples/taskflow.h).
 */
#define HAS_SETUP

#include "samples/micro2.h"
#include "samples/taskflow.h"

static void setup_run(struct micro2_data *data) {
    size_t words = data->words;
    tf::cudaGraph graph;
    auto all = task(graph, blocks_of(words * WIDTH), BLOCK, join, data->z, data->attended, data->mix, words);
    for (int h = 0; h < HEADS; h++) {
        auto projected = task(graph, blocks_of(words * PROJECTED), BLOCK, project, data->projected[h],
                              data->x, data->weights[h], words);
        auto scored =
            task(graph, blocks_of(words * words), BLOCK, score, data->scores[h], data->projected[h], words);
        auto softened = task(graph, blocks_of(words), BLOCK, softmax, data->scores[h], words);
        auto attended = task(graph, blocks_of(words * HEAD), BLOCK, attend, data->attended.of[h],
                             data->scores[h], data->projected[h], words);
        projected.precede(scored);
        scored.precede(softened);
        softened.precede(attended);
        attended.precede(all);
    }
    taskflow_make(graph);
}

static void run(struct micro2_data *) {
    taskflow_run();
}
