#include "plugin/lift/unreachable.h"

#include "plugin/lift/numbering.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

/* Removes what is in the block, which nothing but blocks that are removed, too, may make use of. */
static void clear(LLVMBasicBlockRef block) {
    LLVMValueRef last;
    while ((last = LLVMGetLastInstruction(block)) != NULL) {
        if (LLVMGetFirstUse(last))
            LLVMReplaceAllUsesWith(last, LLVMGetPoison(LLVMTypeOf(last)));
        LLVMInstructionEraseFromParent(last);
    }
}

void kesco_remove_body(LLVMValueRef function) {
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        clear(b);
    while (LLVMGetFirstBasicBlock(function))
        LLVMDeleteBasicBlock(LLVMGetFirstBasicBlock(function));
}

/* Stores in `reached` which of the numbered blocks some way leads to from the one called `first`. `waiting`
 * has room for all. */
static void reach(const struct kesco_numbering *blocks, size_t first, bool *reached, size_t *waiting) {
    size_t count = 0;
    reached[first] = true;
    waiting[count++] = first;
    while (count > 0) {
        LLVMBasicBlockRef block = (LLVMBasicBlockRef)blocks->things[waiting[--count]];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
        for (unsigned i = 0; end && i < LLVMGetNumSuccessors(end); i++) {
            const size_t next = kesco_number_of(blocks, LLVMGetSuccessor(end, i));
            if (reached[next])
                continue;
            reached[next] = true;
            waiting[count++] = next;
        }
    }
}

static void remove_others(const struct kesco_numbering *blocks, const bool *reached) {
    for (size_t i = 0; i < blocks->count; i++)
        if (!reached[i])
            clear((LLVMBasicBlockRef)blocks->things[i]);
    for (size_t i = 0; i < blocks->count; i++)
        if (!reached[i])
            LLVMDeleteBasicBlock((LLVMBasicBlockRef)blocks->things[i]);
}

int kesco_remove_unreachable(LLVMValueRef function) {
    const size_t count = LLVMCountBasicBlocks(function);
    const void **all = calloc(count, sizeof(*all));
    bool *reached = calloc(count, sizeof(*reached));
    size_t *waiting = calloc(count, sizeof(*waiting));
    const bool has_memory = all && reached && waiting;
    if (has_memory) {
        LLVMGetBasicBlocks(function, (LLVMBasicBlockRef *)all);
        const struct kesco_numbering blocks = kesco_number(all, count);
        reach(&blocks, kesco_number_of(&blocks, LLVMGetEntryBasicBlock(function)), reached, waiting);
        remove_others(&blocks, reached);
    }
    free(all);
    free(reached);
    free(waiting);
    return has_memory ? 0 : -ENOMEM;
}
