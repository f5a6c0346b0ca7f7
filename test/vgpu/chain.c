#include "test/vgpu/chain.h"

#include "test/vgpu/memory.h"
#include "test/vgpu/stats.h"

#include <string.h>
#include <sys/mman.h>

/* How deep the launches are that a byte has to do with. */
struct chain_byte {
    uint32_t written; /* the one that its value comes from */
    uint32_t touched; /* the deepest of that one and those that have read it since */
};

static uint32_t host_depth;    /* the deepest launch that what the host has read comes from */
static uint32_t printed_depth; /* the deepest launch that has printed */

static uint32_t deeper(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

void chain_issue(struct op *op) {
    op->past.depth = host_depth;
    op->past.clock.launches += op->kind == OP_KERNEL;
    if (op->past.clock.launches > stats.order.ordered_chain)
        stats.order.ordered_chain = op->past.clock.launches;
}

/* Most of an allocation may never be touched: its bytes get their depths from the system as they are. */
static struct chain_byte *bytes_of(struct allocation *allocation) {
    if (!allocation->chains) {
        void *bytes = mmap(NULL, allocation->size * sizeof(struct chain_byte), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        allocation->chains = bytes == MAP_FAILED ? NULL : bytes;
    }
    return allocation->chains;
}

static uint32_t depth_behind(struct chain_byte byte, bool writes) {
    return writes ? byte.touched : byte.written;
}

static void touch(struct chain_byte *byte, uint32_t depth, bool writes) {
    if (writes)
        *byte = (struct chain_byte){depth, depth};
    else
        byte->touched = deeper(byte->touched, depth);
}

void chain_follow(struct op *op, const struct allocation *allocation, const struct race_record *record) {
    if (!allocation->chains || op->kind == OP_ALLOCATE)
        return;
    const struct chain_byte *bytes = allocation->chains + record->first_word * RACE_WORD;
    for (size_t word = 0; word < record->words; word++, bytes += RACE_WORD) {
        for (uint64_t bits = record->reads[word] | record->writes[word]; bits; bits &= bits - 1) {
            const int i = __builtin_ctzll(bits);
            op->past.depth = deeper(op->past.depth, depth_behind(bytes[i], record->writes[word] >> i & 1));
        }
    }
}

void chain_end(struct op *op, bool printed) {
    if (printed)
        op->past.depth = deeper(op->past.depth, printed_depth);
    op->past.depth += op->kind == OP_KERNEL;
    if (printed)
        printed_depth = op->past.depth;
    if (op->past.depth > stats.order.data_chain)
        stats.order.data_chain = op->past.depth;
    if (op->kind == OP_COPY && op->copy.target.place == PLACE_PAGEABLE)
        host_depth = deeper(host_depth, op->past.depth);
}

void chain_leave(const struct op *op, struct allocation *allocation, const struct race_record *record) {
    struct chain_byte *bytes = bytes_of(allocation);
    if (!bytes)
        return;
    bytes += record->first_word * RACE_WORD;
    for (size_t word = 0; word < record->words; word++, bytes += RACE_WORD) {
        for (uint64_t bits = record->reads[word] | record->writes[word]; bits; bits &= bits - 1) {
            const int i = __builtin_ctzll(bits);
            touch(&bytes[i], op->past.depth, record->writes[word] >> i & 1);
        }
    }
}

void chain_host(struct allocation *allocation, const char *address, size_t size, uint32_t kind) {
    const size_t offset = (size_t)(address - allocation->base), left = allocation->size - offset;
    struct chain_byte *bytes = bytes_of(allocation);
    const bool writes = kind & VGPU_WRITE;
    uint32_t depth = host_depth;
    if (!bytes)
        return;
    bytes += offset;
    if (size > left)
        size = left;
    for (size_t i = 0; i < size; i++)
        depth = deeper(depth, depth_behind(bytes[i], writes));
    for (size_t i = 0; i < size; i++)
        touch(&bytes[i], depth, writes);
    if (kind & VGPU_READ)
        host_depth = depth;
}

void chain_forget(struct allocation *allocation) {
    if (allocation->chains)
        munmap(allocation->chains, allocation->size * sizeof(struct chain_byte));
}

void chain_forget_range(struct allocation *allocation, size_t offset, size_t size) {
    if (allocation->chains)
        memset(allocation->chains + offset, 0, size * sizeof(struct chain_byte));
}
