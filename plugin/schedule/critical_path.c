#include "plugin/schedule/critical_path.h"

#include <math.h>

void kesco_critical_path_find(const struct kesco_graph *graph, double *length) {
    for (uint32_t op = graph->op_count; op-- > 0;) {
        size_t count;
        const uint32_t *successors = kesco_graph_successors(graph, op, &count);
        double longest = 0;
        for (size_t i = 0; i < count; i++)
            longest = fmax(longest, length[successors[i]]);
        length[op] = graph->ops[op].cost + longest;
    }
}
