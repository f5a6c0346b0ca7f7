#include "plugin/lift/address.h"

#include "plugin/device/address_space.h"
#include "plugin/lift/numbering.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* What of an integer may be addresses: what is added to the rest of it, and what is subtracted. */
struct parts {
    bool added, subtracted;
};

/* An instruction whose result is an integer of a pointer's size. */
struct integer {
    struct parts parts;
    struct parts beside; /* the pointer that it was made of */
    bool is_tainted;     /* was made of a pointer */
    bool is_good;        /* is one pointer and numbers */
    LLVMValueRef made;   /* the pointer that it is; NULL as long as nobody asked */
};

/* Those of a function. */
struct integers {
    LLVMValueRef *in_order; /* in which they stand there */
    struct kesco_numbering values;
    struct integer *items; /* by number */
    LLVMBuilderRef builder;
};

static const struct parts none, all = {true, true}, only_added = {true, false};

static bool is_any(struct parts p) {
    return p.added || p.subtracted;
}

static struct parts both(struct parts a, struct parts b) {
    return (struct parts){a.added || b.added, a.subtracted || b.subtracted};
}

static struct parts negated(struct parts p) {
    return (struct parts){p.subtracted, p.added};
}

/* Stores the new parts, and returns whether they are others than before. */
static bool update(struct parts *known, struct parts now) {
    const bool differs = known->added != now.added || known->subtracted != now.subtracted;
    *known = now;
    return differs;
}

static bool is_address_sized(LLVMValueRef v) {
    LLVMTypeRef type = LLVMTypeOf(v);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 64;
}

/* A cast of a pointer to an integer, be it an instruction or a constant. */
static bool is_cast(LLVMValueRef v) {
    return LLVMIsAPtrToIntInst(v) || (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMPtrToInt);
}

static struct integer *find(const struct integers *in, LLVMValueRef v) {
    const size_t number = kesco_number_of(&in->values, v);
    return number < in->values.count ? &in->items[number] : NULL;
}

/* Parts */

static struct parts parts_of(const struct integers *in, LLVMValueRef v) {
    if (LLVMIsAArgument(v))
        return (struct parts){is_address_sized(v), false};
    const struct integer *known = find(in, v);
    return is_cast(v) ? only_added : known ? known->parts : none;
}

/* True for what a launch gives in a struct. */
static bool is_given(LLVMValueRef v) {
    if (!LLVMIsALoadInst(v))
        return false;
    LLVMValueRef from = LLVMGetOperand(v, 0);
    while (LLVMIsAGetElementPtrInst(from) || LLVMIsAAddrSpaceCastInst(from))
        from = LLVMGetOperand(from, 0);
    return LLVMIsAArgument(from);
}

/* What is subtracted with `v`. A number that the launch gives is none. */
static struct parts parts_of_subtracted(const struct integers *in, LLVMValueRef v) {
    return is_given(v) ? none : negated(parts_of(in, v));
}

static struct parts parts_of_operands(const struct integers *in, LLVMValueRef i) {
    struct parts found = none;
    for (unsigned n = 0; n < (unsigned)LLVMGetNumOperands(i); n++)
        found = both(found, parts_of(in, LLVMGetOperand(i, n)));
    return found;
}

/* Of bits that are taken one by one. */
static struct parts parts_of_logic(const struct integers *in, LLVMValueRef i, LLVMOpcode opcode) {
    LLVMValueRef number = LLVMIsAConstantInt(LLVMGetOperand(i, 1));
    if (!number)
        return is_any(parts_of_operands(in, i)) ? all : none;
    const uint64_t bits = LLVMConstIntGetZExtValue(number);
    if (opcode == LLVMXor && bits == UINT64_MAX)
        return parts_of_subtracted(in, LLVMGetOperand(i, 0));
    return opcode == LLVMAnd && bits <= UINT32_MAX ? none : parts_of(in, LLVMGetOperand(i, 0));
}

/* Intrinsics read but numbers. */
static struct parts parts_of_call(const struct integers *in, LLVMValueRef call) {
    if (is_any(parts_of_operands(in, call)))
        return all;
    LLVMValueRef callee = LLVMIsAFunction(LLVMGetCalledValue(call));
    return callee && LLVMGetIntrinsicID(callee) ? none : only_added;
}

static struct parts compute_parts(const struct integers *in, LLVMValueRef i) {
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    switch (opcode) {
    case LLVMAdd:
    case LLVMPHI:
    case LLVMSelect:
    case LLVMFreeze:
        return parts_of_operands(in, i);
    case LLVMSub:
        return both(parts_of(in, LLVMGetOperand(i, 0)), parts_of_subtracted(in, LLVMGetOperand(i, 1)));
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
        return parts_of_logic(in, i, opcode);
    case LLVMLoad:
    case LLVMPtrToInt:
        return only_added;
    case LLVMCall:
        return parts_of_call(in, i);
    default: /* products, quotients, and what has fewer bits */
        return none;
    }
}

/* Those that were made of a pointer, and those that are a pointer and numbers */

static bool is_null(LLVMValueRef v) {
    return LLVMIsAConstantInt(v) && LLVMConstIntGetZExtValue(v) == 0;
}

static bool is_tainted(const struct integers *in, LLVMValueRef v) {
    const struct integer *known = find(in, v);
    return is_cast(v) || (known && known->is_tainted);
}

static bool is_good(const struct integers *in, LLVMValueRef v) {
    const struct integer *known = find(in, v);
    return is_cast(v) || (known && known->is_good);
}

/* The first operand that the value may be, or a part of it: the condition of a choice is none. */
static unsigned first_operand(LLVMValueRef i) {
    return LLVMIsASelectInst(i) ? 1 : 0;
}

static bool becomes_tainted(const struct integers *in, LLVMValueRef i) {
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    if (opcode != LLVMAdd && opcode != LLVMSub && opcode != LLVMPHI && opcode != LLVMSelect)
        return false;
    for (unsigned n = first_operand(i); n < (unsigned)LLVMGetNumOperands(i); n++)
        if (is_tainted(in, LLVMGetOperand(i, n)))
            return true;
    return false;
}

static struct parts beside_pointer(const struct integers *in, LLVMValueRef i) {
    const bool is_sum = LLVMIsABinaryOperator(i);
    struct parts found = none;
    for (unsigned n = first_operand(i); n < (unsigned)LLVMGetNumOperands(i); n++) {
        LLVMValueRef operand = LLVMGetOperand(i, n);
        const struct integer *known = find(in, operand);
        struct parts more = none;
        if (is_tainted(in, operand))
            more = known ? known->beside : none;
        else if (is_sum) /* of a choice, one of them alone is it */
            more = n == 1 && LLVMGetInstructionOpcode(i) == LLVMSub ? parts_of_subtracted(in, operand)
                                                                    : parts_of(in, operand);
        found = both(found, more);
    }
    return found;
}

/* The operand of a sum that was made of a pointer; NULL where both were, or what is subtracted. */
static LLVMValueRef base_of(const struct integers *in, LLVMValueRef i) {
    const bool left = is_tainted(in, LLVMGetOperand(i, 0)), right = is_tainted(in, LLVMGetOperand(i, 1));
    if (left == right || (right && LLVMGetInstructionOpcode(i) == LLVMSub))
        return NULL;
    return LLVMGetOperand(i, left ? 0 : 1);
}

/* A sum is not one if it may be the distance from one pointer to another, added to a third that looks like a
 * number. */
static bool stays_good(const struct integers *in, const struct integer *item, LLVMValueRef i) {
    if (LLVMIsABinaryOperator(i)) {
        LLVMValueRef base = base_of(in, i);
        return base && is_good(in, base) && !(item->beside.added && item->beside.subtracted);
    }
    for (unsigned n = first_operand(i); n < (unsigned)LLVMGetNumOperands(i); n++)
        if (!is_null(LLVMGetOperand(i, n)) && !is_good(in, LLVMGetOperand(i, n)))
            return false;
    return true;
}

/* Each returns whether something has changed for the integer called `i`. */
typedef bool step(struct integers *in, struct integer *item, LLVMValueRef i);

static bool step_parts(struct integers *in, struct integer *item, LLVMValueRef i) {
    return update(&item->parts, compute_parts(in, i));
}

static bool step_tainted(struct integers *in, struct integer *item, LLVMValueRef i) {
    const bool was = item->is_tainted;
    item->is_good = item->is_tainted = was || becomes_tainted(in, i);
    return was != item->is_tainted;
}

static bool step_beside(struct integers *in, struct integer *item, LLVMValueRef i) {
    return item->is_tainted && update(&item->beside, beside_pointer(in, i));
}

static bool step_good(struct integers *in, struct integer *item, LLVMValueRef i) {
    const bool was = item->is_good;
    item->is_good = was && stays_good(in, item, i);
    return was != item->is_good;
}

/* In their order, most of what a value is made of comes before it. */
static void solve(struct integers *in) {
    static step *const steps[] = {step_parts, step_tainted, step_beside, step_good};
    for (size_t s = 0; s < sizeof(steps) / sizeof(*steps); s++)
        for (bool changed = true; changed;) {
            changed = false;
            for (size_t n = 0; n < in->values.count; n++)
                changed |= steps[s](in, find(in, in->in_order[n]), in->in_order[n]);
        }
}

/* Pointers */

static LLVMTypeRef generic_pointer(LLVMValueRef v) {
    return LLVMPointerTypeInContext(LLVMGetTypeContext(LLVMTypeOf(v)), KESCO_SPACE_GENERIC);
}

static LLVMValueRef make_generic(struct integers *in, LLVMValueRef cast) {
    LLVMValueRef pointer = LLVMGetOperand(cast, 0);
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) == KESCO_SPACE_GENERIC)
        return pointer;
    if (LLVMIsConstant(pointer))
        return LLVMConstAddrSpaceCast(pointer, generic_pointer(pointer));
    LLVMPositionBuilderBefore(in->builder, cast);
    return LLVMBuildAddrSpaceCast(in->builder, pointer, generic_pointer(pointer), "");
}

/* The good integer `v` as a pointer. */
static LLVMValueRef make(struct integers *in, LLVMValueRef v);

static LLVMValueRef make_phi(struct integers *in, struct integer *item, LLVMValueRef phi) {
    LLVMPositionBuilderBefore(in->builder, phi);
    item->made = LLVMBuildPhi(in->builder, generic_pointer(phi), "");
    for (unsigned n = 0; n < LLVMCountIncoming(phi); n++) {
        LLVMValueRef value = make(in, LLVMGetIncomingValue(phi, n));
        LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, n);
        LLVMAddIncoming(item->made, &value, &block, 1);
    }
    return item->made;
}

static LLVMValueRef make_select(struct integers *in, LLVMValueRef select) {
    LLVMValueRef yes = make(in, LLVMGetOperand(select, 1)), no = make(in, LLVMGetOperand(select, 2));
    LLVMPositionBuilderBefore(in->builder, select);
    return LLVMBuildSelect(in->builder, LLVMGetOperand(select, 0), yes, no, "");
}

static LLVMValueRef make_sum(struct integers *in, LLVMValueRef sum) {
    LLVMValueRef base = base_of(in, sum), left = LLVMGetOperand(sum, 0);
    LLVMValueRef offset = left == base ? LLVMGetOperand(sum, 1) : left;
    LLVMValueRef pointer = make(in, base);
    LLVMPositionBuilderBefore(in->builder, sum);
    if (LLVMGetInstructionOpcode(sum) == LLVMSub)
        offset = LLVMBuildNeg(in->builder, offset, "");
    LLVMTypeRef byte = LLVMInt8TypeInContext(LLVMGetTypeContext(LLVMTypeOf(sum)));
    return LLVMBuildGEP2(in->builder, byte, pointer, &offset, 1, "");
}

static LLVMValueRef make(struct integers *in, LLVMValueRef v) {
    struct integer *item = find(in, v);
    if (is_null(v))
        return LLVMConstPointerNull(generic_pointer(v));
    if (item && item->made)
        return item->made;
    if (item && LLVMIsAPHINode(v))
        return make_phi(in, item, v);
    LLVMValueRef made = is_cast(v)             ? make_generic(in, v)
                        : LLVMIsASelectInst(v) ? make_select(in, v)
                                               : make_sum(in, v);
    if (item)
        item->made = made;
    return made;
}

/* Where an access goes to `address`, it goes to `pointer` then. */
static void access_by(LLVMValueRef address, LLVMValueRef pointer) {
    for (LLVMUseRef use = LLVMGetFirstUse(address), next; use; use = next) {
        LLVMValueRef user = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        const unsigned operand = LLVMIsAStoreInst(user) ? 1 : 0;
        if ((LLVMIsALoadInst(user) || LLVMIsAStoreInst(user)) && LLVMGetOperand(user, operand) == address)
            LLVMSetOperand(user, operand, pointer);
    }
}

/* Memory of the block is named by its space; elsewhere the pointer says where it leads. */
static void replace(struct integers *in, LLVMValueRef address) {
    LLVMTypeRef type = LLVMTypeOf(address);
    const unsigned space = LLVMGetPointerAddressSpace(type);
    LLVMValueRef integer = LLVMGetOperand(address, 0);
    if (!is_address_sized(integer) || !is_good(in, integer))
        return;
    LLVMValueRef pointer = make(in, integer);
    if (space == KESCO_SPACE_SHARED || space == KESCO_SPACE_CLUSTER) {
        LLVMPositionBuilderBefore(in->builder, address);
        pointer = LLVMBuildAddrSpaceCast(in->builder, pointer, type, "");
    }
    if (LLVMTypeOf(pointer) == type)
        LLVMReplaceAllUsesWith(address, pointer);
    else
        access_by(address, pointer);
    if (!LLVMGetFirstUse(address))
        LLVMInstructionEraseFromParent(address);
}

static LLVMValueRef next_instruction(LLVMValueRef function, LLVMValueRef i) {
    LLVMBasicBlockRef block = i ? LLVMGetInstructionParent(i) : LLVMGetFirstBasicBlock(function);
    LLVMValueRef next = i ? LLVMGetNextInstruction(i) : LLVMGetFirstInstruction(block);
    while (!next && (block = LLVMGetNextBasicBlock(block)) != NULL)
        next = LLVMGetFirstInstruction(block);
    return next;
}

static int gather(LLVMValueRef function, struct integers *in) {
    size_t count = 0;
    for (LLVMValueRef i = next_instruction(function, NULL); i; i = next_instruction(function, i))
        count += is_address_sized(i);
    in->in_order = calloc(count + 1, sizeof(LLVMValueRef));
    in->values.things = calloc(count + 1, sizeof(*in->values.things));
    in->items = calloc(count + 1, sizeof(*in->items));
    if (!in->in_order || !in->values.things || !in->items)
        return -ENOMEM;
    count = 0;
    for (LLVMValueRef i = next_instruction(function, NULL); i; i = next_instruction(function, i))
        if (is_address_sized(i)) {
            in->in_order[count] = i;
            in->values.things[count++] = i;
        }
    in->values = kesco_number(in->values.things, count);
    return 0;
}

int kesco_make_pointers(LLVMValueRef function) {
    struct integers in = {0};
    const int error = gather(function, &in);
    if (!error) {
        in.builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
        solve(&in);
        LLVMValueRef next;
        for (LLVMValueRef i = next_instruction(function, NULL); i; i = next) {
            next = next_instruction(function, i);
            if (LLVMIsAIntToPtrInst(i))
                replace(&in, i);
        }
        LLVMDisposeBuilder(in.builder);
    }
    free(in.in_order);
    free(in.values.things);
    free(in.items);
    return error;
}
