#include "test/vgpu/managed.h"

#include "test/vgpu/race_report.h"
#include "test/vgpu/settings.h"

/* Kernels that were issued; of those that the host has waited for, some may still be there. */
static struct op_list kernels;
static size_t many = 64; /* kernels with which it pays to look for those */

static bool is_exclusive(void) {
    return settings.check_races && !settings.concurrent_managed;
}

static void forget_known(void) {
    size_t kept = 0;
    for (size_t i = 0; i < kernels.count; i++) {
        if (op_known(kernels.ops[i]))
            op_release(kernels.ops[i]);
        else
            kernels.ops[kept++] = kernels.ops[i];
    }
    kernels.count = kept;
}

void managed_issue(struct op *op) {
    if (op->kind != OP_KERNEL || !is_exclusive())
        return;
    if (kernels.count >= many) {
        forget_known();
        many = 2 * kernels.count + 64;
    }
    op_list_add(&kernels, op);
}

/* The host comes before all that it issues. */
static bool may_run_beside(const struct op *kernel, const struct op *op) {
    return !op_known(kernel) && (op->kind == OP_HOST || (!op_ordered(kernel, op) && !op_ordered(op, kernel)));
}

void managed_attach(struct allocation *allocation, struct op *op, unsigned flags, uint32_t component) {
    op_release(allocation->managed.attachment);
    allocation->managed.attachment = op_retain(op);
    allocation->managed.attached = flags;
    allocation->managed.attached_to = component;
}

/* What the allocation is attached to, as far as the host knows: a cudaMemAttach flag. */
static unsigned attachment_of(const struct allocation *allocation) {
    if (!allocation->managed.attachment)
        return allocation->maker.flags;
    return op_known(allocation->managed.attachment) ? allocation->managed.attached : cudaMemAttachGlobal;
}

void managed_touch(struct op *op, const struct allocation *allocation, uint32_t kind) {
    if (allocation->kind != MEMORY_MANAGED || !is_exclusive() || op->managed.beside_kernel)
        return;
    const unsigned attached = attachment_of(allocation);
    if (attached == cudaMemAttachHost)
        return;
    forget_known();
    for (size_t i = 0; i < kernels.count && !op->managed.beside_kernel; i++)
        if ((attached != cudaMemAttachSingle ||
             kernels.ops[i]->past.component == allocation->managed.attached_to) &&
            may_run_beside(kernels.ops[i], op)) {
            race_report_managed(op, allocation, kind, kernels.ops[i]);
            op->managed.beside_kernel = true;
        }
}
