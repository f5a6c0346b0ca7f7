#include "runtime/region/asking.h"

#include <stddef.h>

void kesco_asking_open(struct kesco_asking *asking) {
    kesco_span_give_up(&asking->span);
}

/* The pass that was asked about is over. */
static void end_pass(struct kesco_asking *asking, struct kesco_judge *judge, struct kesco_paths *paths,
                     cudaStream_t origin) {
    const uint64_t now = judge->forecast.device;

    if (kesco_span_was_idle(&asking->span)) {
        kesco_judge_note_idle(judge);
        kesco_paths_count_anew(paths);
    } else if (now > asking->device) {
        asking->device = now - asking->device;
        kesco_span_end(&asking->span, origin);
    } else {
        kesco_span_give_up(&asking->span);
    }
}

static void read(struct kesco_asking *asking, struct kesco_judge *judge, struct kesco_paths *paths) {
    const uint64_t took = kesco_span_read(&asking->span);

    if (took == 0)
        return;
    kesco_judge_note_device(judge, asking->device, took);
    kesco_paths_count_anew(paths);
}

void kesco_asking_begin_pass(struct kesco_asking *asking, struct kesco_judge *judge,
                             struct kesco_paths *paths, cudaStream_t origin, bool is_put_off) {
    switch (asking->span.state) {
    case KESCO_SPAN_BEGUN:
        end_pass(asking, judge, paths, origin);
        break;
    case KESCO_SPAN_ENDED:
        read(asking, judge, paths);
        break;
    case KESCO_SPAN_NONE:
        if (!is_put_off && kesco_judge_wants_device(judge) && kesco_span_begin(&asking->span, origin))
            asking->device = judge->forecast.device;
        break;
    }
}
