#include "runtime/region/width.h"

#include "runtime/call.h"

/*
 * After how many ops lanes are looked at, at first and at most, and how many of them: each takes a query;
 * where records and waits are as many as this part of the ops, which may be worth sparing; how often half of
 * them have to be idle in a row, and how often all have to be busy, at first and at most.
 */
enum {
    FIRST_OPS = 64,
    SAMPLES = 4,
    MOST_OPS = 1024,
    DEAR = 2,
    ENOUGH = 2,
    PATIENCE = 4,
    MOST_PATIENCE = 1024
};

void kesco_width_clear(struct kesco_width *width) {
    *width = (struct kesco_width){.due = FIRST_OPS, .patience = PATIENCE};
}

/* The lane has nothing to do. Lanes may have come after ops that were placed, for fewer lanes than had some:
 * then it has no stream yet. */
static bool is_idle(const struct kesco_placing *placing, const struct kesco_lanes *lanes, uint32_t lane) {
    return placing->had.ops[lane] == 0 || lane >= lanes->count ||
           cudaStreamQuery(lanes->streams[lane]) == cudaSuccess;
}

/* Of some lanes that ops go to, others each time. */
struct sample {
    uint32_t lanes;
    uint32_t idle; /* they are done with all they have */
};

static struct sample take_sample(const struct kesco_width *width, const struct kesco_placing *placing,
                                 const struct kesco_lanes *lanes) {
    const uint32_t count = placing->among.width < SAMPLES ? placing->among.width : (uint32_t)SAMPLES;
    struct sample result = {.lanes = count};
    uint32_t i;

    for (i = 0; i < count; i++) {
        const uint32_t lane = (width->looks + i * placing->among.width / count) % placing->among.width;

        result.idle += is_idle(placing, lanes, lane);
    }
    return result;
}

static struct sample ask(const struct kesco_width *width, const struct kesco_placing *placing,
                         const struct kesco_lanes *lanes) {
    const enum cudaStreamCaptureMode mode = kesco_call_relax();
    const struct sample result = take_sample(width, placing, lanes);

    kesco_call_unrelax(mode);
    cudaGetLastError();
    return result;
}

static void narrow(struct kesco_width *width, struct kesco_placing *placing) {
    kesco_placing_set_width(placing, placing->among.width / 2);
    width->idle = 0;
    width->due = FIRST_OPS;
    if (width->was_widened && width->patience < MOST_PATIENCE)
        width->patience *= 2;
    width->was_widened = false;
}

static void widen(struct kesco_width *width, struct kesco_placing *placing) {
    const uint32_t twice = 2 * placing->among.width;

    kesco_placing_set_width(placing, twice < placing->among.most ? twice : placing->among.most);
    width->busy = 0;
    width->due = FIRST_OPS;
    width->was_widened = true;
}

static void look(struct kesco_width *width, struct kesco_placing *placing, const struct kesco_lanes *lanes) {
    const struct sample sample = ask(width, placing, lanes);

    width->looks++;
    width->idle = 2 * sample.idle >= sample.lanes ? width->idle + 1 : 0;
    width->busy = sample.idle == 0 ? width->busy + 1 : 0;
    if (width->idle == 0 && (width->busy == 0 || placing->among.width == placing->among.most) &&
        width->due < MOST_OPS)
        width->due *= 2;
    if (width->idle >= ENOUGH && placing->among.width > 1)
        narrow(width, placing);
    else if (width->busy >= width->patience && placing->among.width < placing->among.most)
        widen(width, placing);
}

void kesco_width_note(struct kesco_width *width, struct kesco_placing *placing,
                      const struct kesco_placement *placement, const struct kesco_lanes *lanes) {
    width->marks +=
        (uint32_t)(__builtin_popcount(placement->records) + __builtin_popcount(placement->waits)) +
        placement->gathers;
    if (++width->ops < width->due)
        return;
    if ((width->marks >= width->ops / DEAR || placing->among.width < placing->among.lanes) &&
        cudaPeekAtLastError() == cudaSuccess)
        look(width, placing, lanes);
    width->ops = width->marks = 0;
}
