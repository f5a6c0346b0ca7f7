#include "runtime/region/asking.h"

#include <stddef.h>

void kesco_asking_open(struct kesco_asking *asking) {
    kesco_span_give_up(&asking->span);
}

/* The device took so many nanoseconds. */
static void correct(struct kesco_judge *judge, struct kesco_paths *paths, uint64_t expected, uint64_t took) {
    kesco_judge_note_device(judge, expected, took);
    kesco_paths_count_anew(paths);
}

/* The pass that was asked about is over. Where the device has no work, all that it has had took no longer
 * than the host did to launch it. */
static void end_pass(struct kesco_asking *asking, struct kesco_judge *judge, struct kesco_paths *paths,
                     cudaStream_t origin) {
    const uint64_t now = judge->forecast.device;

    if (kesco_span_was_idle(&asking->span)) {
        correct(judge, paths, now, judge->forecast.host);
    } else if (now > asking->device) {
        asking->device = now - asking->device;
        kesco_span_end(&asking->span, origin);
    } else {
        kesco_span_give_up(&asking->span);
    }
}

static void read(struct kesco_asking *asking, struct kesco_judge *judge, struct kesco_paths *paths) {
    const uint64_t took = kesco_span_read(&asking->span);

    if (took > 0)
        correct(judge, paths, asking->device, took);
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
