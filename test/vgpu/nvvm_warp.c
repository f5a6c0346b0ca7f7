/* Warp functions and barriers: llvm.nvvm.{shfl,vote,match,redux,bar,barrier}.*, activemask, elect. */
#include "test/vgpu/exec.h"

#include <string.h>

typedef struct vgpu_warp_call call_t;

#define FOR_LANES(lane, lanes)                                                                               \
    for (uint32_t lane = 0; lane < VGPU_WARP_SIZE; lane++)                                                   \
        if ((lanes) >> lane & 1)

/* Shuffles: the PTX reference's pseudocode. A lane that nobody is in gives the reader's own value. */

enum shuffle { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BFLY, SHUFFLE_IDX };

static bool shuffle_source(enum shuffle mode, uint32_t lane, uint32_t b, uint32_t c, uint32_t *source) {
    const uint32_t offset = b & 31, segment = c >> 8 & 31;
    const uint32_t last = (lane & segment) | (c & 31 & ~segment);
    switch (mode) {
    case SHUFFLE_UP:
        *source = lane - offset;
        return (int32_t)*source >= (int32_t)last;
    case SHUFFLE_DOWN:
        *source = lane + offset;
        return *source <= last;
    case SHUFFLE_BFLY:
        *source = lane ^ offset;
        return *source <= last;
    case SHUFFLE_IDX:
        break;
    }
    *source = (lane & segment) | (offset & ~segment);
    return *source <= last;
}

static void settle_shuffle(enum shuffle mode, call_t *const *calls, uint32_t lanes) {
    FOR_LANES(lane, lanes) {
        uint32_t source = lane;
        calls[lane]->flag = shuffle_source(mode, lane, calls[lane]->control, calls[lane]->clamp, &source);
        if (!calls[lane]->flag || !calls[source])
            source = lane;
        calls[lane]->result = calls[source]->value;
    }
}

static float as_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static uint32_t as_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

#define SHUFFLE(form, mode)                                                                                  \
    static void settle_##form(call_t *const *calls, uint32_t lanes) {                                        \
        settle_shuffle(mode, calls, lanes);                                                                  \
    }                                                                                                        \
    static uint32_t shuffle_##form(uint32_t mask, uint32_t value, uint32_t b, uint32_t c, uint32_t *flag) {  \
        call_t call = {.name = "shfl.sync." #form,                                                           \
                       .mask = mask,                                                                         \
                       .control = b,                                                                         \
                       .clamp = c,                                                                           \
                       .value = value,                                                                       \
                       .settle = settle_##form};                                                             \
        vgpu_warp_meet(&call);                                                                               \
        if (flag)                                                                                            \
            *flag = call.flag;                                                                               \
        return (uint32_t)call.result;                                                                        \
    }                                                                                                        \
    VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_shfl_sync_##form##_i32, uint32_t mask, uint32_t value, uint32_t b,    \
                   uint32_t c) {                                                                             \
        return shuffle_##form(mask, value, b, c, NULL);                                                      \
    }                                                                                                        \
    VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_shfl_sync_##form##_i32p, uint32_t mask, uint32_t value, uint32_t b,   \
                   uint32_t c, uint32_t *flag) {                                                             \
        return shuffle_##form(mask, value, b, c, flag);                                                      \
    }                                                                                                        \
    VGPU_DEVICE_FN(float, vgpu_nvvm_shfl_sync_##form##_f32, uint32_t mask, float value, uint32_t b,          \
                   uint32_t c) {                                                                             \
        return as_float(shuffle_##form(mask, as_bits(value), b, c, NULL));                                   \
    }                                                                                                        \
    VGPU_DEVICE_FN(float, vgpu_nvvm_shfl_sync_##form##_f32p, uint32_t mask, float value, uint32_t b,         \
                   uint32_t c, uint32_t *flag) {                                                             \
        return as_float(shuffle_##form(mask, as_bits(value), b, c, flag));                                   \
    }

SHUFFLE(up, SHUFFLE_UP)
SHUFFLE(down, SHUFFLE_DOWN)
SHUFFLE(bfly, SHUFFLE_BFLY)
SHUFFLE(idx, SHUFFLE_IDX)

/* Calls that only need a mask and a value. */

static call_t meet(const char *name, uint32_t mask, uint64_t value,
                   void (*settle)(call_t *const *calls, uint32_t lanes)) {
    call_t call = {.name = name, .mask = mask, .value = value, .settle = settle};
    vgpu_warp_meet(&call);
    return call;
}

static void settle_nothing(call_t *const *calls, uint32_t lanes) {
    (void)calls;
    (void)lanes;
}

VGPU_DEVICE_FN(void, vgpu_nvvm_bar_warp_sync, uint32_t mask) {
    static const char name[] = "__syncwarp";
    meet(name, mask, 0, settle_nothing);
}

/* Votes */

static void settle_ballot(call_t *const *calls, uint32_t lanes) {
    uint32_t ballot = 0;
    FOR_LANES(lane, lanes) {
        ballot |= (uint32_t)(calls[lane]->value != 0) << lane;
    }
    FOR_LANES(lane, lanes) {
        calls[lane]->result = ballot;
        calls[lane]->flag = ballot == lanes;
    }
}

/* The ballot; *all says whether every lane that met voted for it. */
static uint32_t vote(const char *name, uint32_t mask, uint32_t predicate, bool *all) {
    const call_t call = meet(name, mask, predicate, settle_ballot);
    *all = call.flag;
    return (uint32_t)call.result;
}

VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_vote_ballot_sync, uint32_t mask, uint32_t predicate) {
    static const char name[] = "__ballot_sync";
    bool all;
    return vote(name, mask, predicate, &all);
}

VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_vote_any_sync, uint32_t mask, uint32_t predicate) {
    static const char name[] = "__any_sync";
    bool all;
    return vote(name, mask, predicate, &all) != 0;
}

VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_vote_all_sync, uint32_t mask, uint32_t predicate) {
    static const char name[] = "__all_sync";
    bool all;
    vote(name, mask, predicate, &all);
    return all;
}

VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_vote_uni_sync, uint32_t mask, uint32_t predicate) {
    static const char name[] = "__uni_sync";
    bool all;
    return !vote(name, mask, predicate, &all) || all;
}

/* Matches */

static void settle_match(call_t *const *calls, uint32_t lanes) {
    FOR_LANES(lane, lanes) {
        uint32_t same = 0;
        FOR_LANES(other, lanes) {
            same |= (uint32_t)(calls[other]->value == calls[lane]->value) << other;
        }
        calls[lane]->result = same;
        calls[lane]->flag = same == lanes;
    }
}

static uint32_t match_all(uint32_t mask, uint64_t value, uint32_t *flag) {
    static const char name[] = "__match_all_sync";
    const call_t call = meet(name, mask, value, settle_match);
    *flag = call.flag;
    return call.flag ? (uint32_t)call.result : 0;
}

static uint32_t match_any(uint32_t mask, uint64_t value) {
    static const char name[] = "__match_any_sync";
    return (uint32_t)meet(name, mask, value, settle_match).result;
}

VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_match_any_sync_i32, uint32_t mask, uint32_t value) {
    return match_any(mask, value);
}
VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_match_any_sync_i64, uint32_t mask, uint64_t value) {
    return match_any(mask, value);
}
VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_match_all_sync_i32p, uint32_t mask, uint32_t value, uint32_t *flag) {
    return match_all(mask, value, flag);
}
VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_match_all_sync_i64p, uint32_t mask, uint64_t value, uint32_t *flag) {
    return match_all(mask, value, flag);
}

/* Reductions */

#define REDUX(name, type, expression)                                                                        \
    static void settle_##name(call_t *const *calls, uint32_t lanes) {                                        \
        const uint32_t first = (uint32_t)__builtin_ctz(lanes);                                               \
        type a = (type)calls[first]->value;                                                                  \
        FOR_LANES(lane, lanes & (lanes - 1)) {                                                               \
            const type b = (type)calls[lane]->value;                                                         \
            a = expression;                                                                                  \
        }                                                                                                    \
        FOR_LANES(lane, lanes) {                                                                             \
            calls[lane]->result = (uint32_t)a;                                                               \
        }                                                                                                    \
    }                                                                                                        \
    VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_redux_sync_##name, uint32_t value, uint32_t mask) {                   \
        static const char call_name[] = "redux.sync." #name;                                                 \
        return (uint32_t)meet(call_name, mask, value, settle_##name).result;                                 \
    }

REDUX(add, uint32_t, a + b)
REDUX(and, uint32_t, a &b)
REDUX(or, uint32_t, a | b)
REDUX(xor, uint32_t, a ^ b)
REDUX(umin, uint32_t, a < b ? a : b)
REDUX(umax, uint32_t, a > b ? a : b)
REDUX(min, int32_t, a < b ? a : b)
REDUX(max, int32_t, a > b ? a : b)

/* Lanes that run together: those that stand at the same call once no lane of the warp can go on. */

static void settle_active(call_t *const *calls, uint32_t lanes) {
    FOR_LANES(lane, lanes) {
        calls[lane]->result = lanes;
    }
}

VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_activemask, void) {
    call_t call = {
        .name = "__activemask", .site = __builtin_return_address(0), .mask = ~0u, .settle = settle_active};
    vgpu_warp_meet(&call);
    return (uint32_t)call.result;
}

VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_elect_sync, uint32_t mask, uint32_t *elected) {
    static const char name[] = "elect.sync";
    const call_t call = meet(name, mask, 0, settle_active);
    const uint32_t leader = (uint32_t)__builtin_ctz((uint32_t)call.result);
    *elected = leader == vgpu_registers.laneid;
    return leader;
}

/* Barriers of the block. `aligned` makes no difference here. */

#define BARRIER(name, result, answer)                                                                        \
    VGPU_DEVICE_FN(result, vgpu_nvvm_barrier_cta_##name##_all, uint32_t id, uint32_t predicate) {            \
        const struct vgpu_thread *t = vgpu_barrier_meet(id, 0, predicate != 0, true);                        \
        return answer;                                                                                       \
    }                                                                                                        \
    VGPU_DEVICE_FN(result, vgpu_nvvm_barrier_cta_##name##_count, uint32_t id, uint32_t count,                \
                   uint32_t predicate) {                                                                     \
        const struct vgpu_thread *t = vgpu_barrier_meet(id, count, predicate != 0, true);                    \
        return answer;                                                                                       \
    }

BARRIER(red_popc_aligned, uint32_t, t->votes)
BARRIER(red_and_aligned, uint32_t, t->votes == t->arrived)
BARRIER(red_or_aligned, uint32_t, t->votes != 0)
BARRIER(red_popc, uint32_t, t->votes)
BARRIER(red_and, uint32_t, t->votes == t->arrived)
BARRIER(red_or, uint32_t, t->votes != 0)

#define PLAIN_BARRIER(name)                                                                                  \
    VGPU_DEVICE_FN(void, vgpu_nvvm_barrier_cta_sync_##name##all, uint32_t id) {                              \
        vgpu_barrier_meet(id, 0, false, true);                                                               \
    }                                                                                                        \
    VGPU_DEVICE_FN(void, vgpu_nvvm_barrier_cta_sync_##name##count, uint32_t id, uint32_t count) {            \
        vgpu_barrier_meet(id, count, false, true);                                                           \
    }                                                                                                        \
    VGPU_DEVICE_FN(void, vgpu_nvvm_barrier_cta_arrive_##name##count, uint32_t id, uint32_t count) {          \
        vgpu_barrier_meet(id, count, false, false);                                                          \
    }

PLAIN_BARRIER(aligned_)
PLAIN_BARRIER()

/* The same by the names that clang 19 has for them. */

VGPU_DEVICE_FN(void, vgpu_nvvm_barrier0, void) {
    vgpu_barrier_meet(0, 0, false, true);
}

VGPU_DEVICE_FN(void, vgpu_nvvm_barrier_n, uint32_t id) {
    vgpu_barrier_meet(id, 0, false, true);
}

VGPU_DEVICE_FN(void, vgpu_nvvm_barrier, uint32_t id, uint32_t count) {
    vgpu_barrier_meet(id, count, false, true);
}

VGPU_DEVICE_FN(void, vgpu_nvvm_barrier_sync, uint32_t id) {
    vgpu_barrier_meet(id, 0, false, true);
}

VGPU_DEVICE_FN(void, vgpu_nvvm_barrier_sync_cnt, uint32_t id, uint32_t count) {
    vgpu_barrier_meet(id, count, false, true);
}

#define VOTING_BARRIER(name, answer)                                                                         \
    VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_barrier0_##name, uint32_t predicate) {                                \
        const struct vgpu_thread *t = vgpu_barrier_meet(0, 0, predicate != 0, true);                         \
        return answer;                                                                                       \
    }

VOTING_BARRIER(popc, t->votes)
VOTING_BARRIER(and, t->votes == t->arrived)
VOTING_BARRIER(or, t->votes != 0)
