#include "runtime/region/purse.h"

#include "runtime/region/attention.h"

#include <stdatomic.h>

enum { MODESTY = 50 }; /* the part of the program's time */

static _Atomic uint64_t spent;

bool kesco_purse_affords(uint64_t price) {
    return kesco_attention_time() >= MODESTY * (atomic_load_explicit(&spent, memory_order_relaxed) + price);
}

void kesco_purse_spend(uint64_t price) {
    atomic_fetch_add_explicit(&spent, price, memory_order_relaxed);
}
