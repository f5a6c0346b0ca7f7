#include "plugin/schedule/flow.h"

#include "plugin/schedule/bits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int kesco_flow_create(uint32_t place_count, struct kesco_flow **out) {
    if (place_count > KESCO_FLOW_MAX_PLACES)
        return -EOVERFLOW;
    struct kesco_flow *flow = calloc(1, sizeof(*flow));
    if (!flow)
        return -ENOMEM;
    flow->place_count = place_count;
    flow->words = kesco_bits_words(place_count);
    flow->next = calloc((size_t)place_count * flow->words + 1, sizeof(*flow->next));
    flow->later = calloc((size_t)place_count * flow->words + 1, sizeof(*flow->later));
    if (!flow->next || !flow->later) {
        kesco_flow_destroy(flow);
        return -ENOMEM;
    }
    *out = flow;
    return 0;
}

void kesco_flow_destroy(struct kesco_flow *flow) {
    if (!flow)
        return;
    free(flow->next);
    free(flow->later);
    free(flow);
}

void kesco_flow_add_next(struct kesco_flow *flow, uint32_t from, uint32_t to) {
    kesco_bits_add(flow->next + from * flow->words, to);
}

/* Warshall's transitive closure, a row at a time. */
void kesco_flow_close(struct kesco_flow *flow) {
    memcpy(flow->later, flow->next, (size_t)flow->place_count * flow->words * sizeof(*flow->later));
    for (uint32_t through = 0; through < flow->place_count; through++)
        for (uint32_t from = 0; from < flow->place_count; from++)
            if (kesco_bits_has(flow->later + from * flow->words, through))
                kesco_bits_unite(flow->later + from * flow->words, flow->later + through * flow->words,
                                 flow->words);
}

bool kesco_flow_in_flight(const struct kesco_flow *flow, uint32_t from, uint32_t to) {
    return kesco_bits_has(flow->later + from * flow->words, to);
}

bool kesco_flow_both(const struct kesco_flow *flow, uint32_t a, uint32_t b) {
    return kesco_flow_in_flight(flow, a, b) || kesco_flow_in_flight(flow, b, a);
}
