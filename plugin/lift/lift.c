#include "plugin/lift/lift.h"

#include "plugin/device/address_space.h"
#include "plugin/lift/address.h"
#include "plugin/lift/function.h"
#include "plugin/lift/unreachable.h"

#include <errno.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>

#define LAYOUT "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
#define PTX_KERNEL 71 /* the calling convention of kernels, which LLVM's C API has no name for */

struct module_lifter {
    const struct kesco_ptx_module *from;
    struct kesco_pointer_question pointers;
    LLVMContextRef context;
    struct kesco_lifted *to;
};

static LLVMTypeRef pointer_type(const struct module_lifter *l) {
    return LLVMPointerTypeInContext(l->context, KESCO_SPACE_GENERIC);
}

static LLVMTypeRef bytes_type(const struct module_lifter *l, uint64_t count) {
    return LLVMArrayType2(LLVMInt8TypeInContext(l->context), count);
}

static bool is_pointer(const struct module_lifter *l, const char *kernel, unsigned parameter,
                       uint64_t offset) {
    return l->pointers.ask(l->pointers.context, kernel, parameter, offset);
}

/* What the host may change is no table, whatever it begins with. It may access managed variables itself, as
 * memory that nobody names: their place is a pointer in a variable. */
static void declare_variable(struct module_lifter *l, const struct kesco_ptx_variable *variable) {
    if (kesco_lift_global(l->to->module, variable->name))
        return;
    const bool is_shared = strcmp(variable->space, "shared") == 0;
    const bool is_constant = strcmp(variable->space, "const") == 0;
    LLVMTypeRef held = variable->is_managed ? pointer_type(l) : bytes_type(l, variable->size);
    LLVMValueRef made = LLVMAddGlobalInAddressSpace(l->to->module, held, variable->name,
                                                    is_shared     ? KESCO_SPACE_SHARED
                                                    : is_constant ? KESCO_SPACE_CONSTANT
                                                                  : KESCO_SPACE_GLOBAL);
    if (is_shared && variable->size > 0) {
        LLVMSetInitializer(made, LLVMGetPoison(held));
        LLVMSetLinkage(made, LLVMInternalLinkage);
    }
    LLVMSetExternallyInitialized(made, !is_shared);
}

static LLVMTypeRef number_type(const struct module_lifter *l, const struct kesco_ptx_variable *parameter) {
    const struct kesco_ptx_type known = kesco_ptx_type_find(parameter->type, strlen(parameter->type));
    if (known.kind == 'f' && known.bits == 32)
        return LLVMFloatTypeInContext(l->context);
    if (known.kind == 'f' && known.bits == 64)
        return LLVMDoubleTypeInContext(l->context);
    return LLVMIntTypeInContext(l->context, 8 * (unsigned)parameter->size);
}

/* What functions hand on. */
static LLVMTypeRef handed_type(const struct module_lifter *l, const struct kesco_ptx_variable *parameter) {
    if (!parameter->is_array)
        return LLVMIntTypeInContext(l->context, 8 * (unsigned)parameter->size);
    if (parameter->size % 8 == 0)
        return LLVMArrayType2(LLVMInt64TypeInContext(l->context), parameter->size / 8);
    return bytes_type(l, parameter->size);
}

/* A struct of `size` bytes with the pointers that are known in it, and bytes. NULL without memory. */
static LLVMTypeRef struct_type(const struct module_lifter *l, const char *kernel, unsigned number,
                               uint64_t size) {
    LLVMTypeRef *elements = calloc(size / 8 * 2 + 2, sizeof(*elements));
    if (!elements)
        return NULL;
    unsigned count = 0;
    uint64_t bytes = 0;
    for (uint64_t at = 0; at < size;) {
        const bool here = at % 8 == 0 && at + 8 <= size && is_pointer(l, kernel, number, at);
        const uint64_t step = here ? 8 : 1;
        if (here && bytes > 0)
            elements[count++] = bytes_type(l, bytes);
        if (here)
            elements[count++] = pointer_type(l);
        bytes = here ? 0 : bytes + step;
        at += step;
    }
    if (bytes > 0)
        elements[count++] = bytes_type(l, bytes);
    LLVMTypeRef type = LLVMStructTypeInContext(l->context, elements, count, false);
    free(elements);
    return type;
}

static LLVMTypeRef parameter_type(const struct module_lifter *l, const char *kernel, unsigned number,
                                  const struct kesco_ptx_variable *parameter) {
    const bool is_pointer_here =
        parameter->is_array ||
        (parameter->size == 8 && (parameter->is_pointer || is_pointer(l, kernel, number, 0)));
    return is_pointer_here ? pointer_type(l) : number_type(l, parameter);
}

static int pass_by_value(const struct module_lifter *l, LLVMValueRef kernel,
                         const struct kesco_ptx_function *from) {
    const unsigned by_value = LLVMGetEnumAttributeKindForName("byval", strlen("byval"));
    for (unsigned i = 0; i < from->parameter_count; i++) {
        if (!from->parameters[i].is_array)
            continue;
        LLVMTypeRef type = struct_type(l, from->name, i, from->parameters[i].size);
        if (!type)
            return -ENOMEM;
        LLVMAddAttributeAtIndex(kernel, 1 + i, LLVMCreateTypeAttribute(l->context, by_value, type));
    }
    return 0;
}

static int declare_kernel(struct module_lifter *l, const struct kesco_ptx_function *from,
                          LLVMTypeRef *types) {
    for (unsigned i = 0; i < from->parameter_count; i++)
        types[i] = parameter_type(l, from->name, i, &from->parameters[i]);
    LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(l->context), types, (unsigned)from->parameter_count, false);
    LLVMValueRef kernel = LLVMAddFunction(l->to->module, from->name, type);
    LLVMSetFunctionCallConv(kernel, PTX_KERNEL);
    if (from->is_weak)
        LLVMSetLinkage(kernel, LLVMWeakODRLinkage);
    return pass_by_value(l, kernel, from);
}

/* What the device runtime takes as an address, that is known to be one. */
static bool takes_pointers(const char *function) {
    return strcmp(function, "vprintf") == 0 || strcmp(function, "free") == 0;
}

static int declare_callee(struct module_lifter *l, const struct kesco_ptx_function *from,
                          LLVMTypeRef *types) {
    LLVMTypeRef returned = LLVMVoidTypeInContext(l->context);
    if (from->has_result)
        returned = handed_type(l, &from->parameters[0]);
    unsigned count = 0;
    for (size_t i = from->has_result; i < from->parameter_count; i++) {
        const struct kesco_ptx_variable *p = &from->parameters[i];
        types[count++] = takes_pointers(from->name) && p->size == 8 ? pointer_type(l) : handed_type(l, p);
    }
    LLVMTypeRef type = LLVMFunctionType(returned, types, count, false);
    LLVMValueRef callee = LLVMAddFunction(l->to->module, from->name, type);
    if (from->is_weak)
        LLVMSetLinkage(callee, LLVMWeakAnyLinkage);
    return 0;
}

static int declare_function(struct module_lifter *l, const struct kesco_ptx_function *from) {
    if (kesco_lift_global(l->to->module, from->name))
        return 0;
    LLVMTypeRef *types = calloc(from->parameter_count + 1, sizeof(*types));
    if (!types)
        return -ENOMEM;
    const int error = from->is_kernel ? declare_kernel(l, from, types) : declare_callee(l, from, types);
    free(types);
    return error;
}

/* Nothing of the function stays but that the kernel is there, and what of it is not understood. */
static int leave_out(struct module_lifter *l, LLVMValueRef function, const struct kesco_ptx_function *from,
                     const char *problem) {
    kesco_remove_body(function);
    LLVMSetLinkage(function, LLVMExternalLinkage);
    if (!from->is_kernel)
        return 0;
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(l->context);
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(l->context, function, ""));
    LLVMBuildRetVoid(builder);
    LLVMDisposeBuilder(builder);
    const struct kesco_not_lifted entry = {
        .kernel = kesco_arena_strdup(&l->to->memory, from->name),
        .what = kesco_arena_strdup(&l->to->memory, problem),
    };
    l->to->not_lifted[l->to->not_lifted_count++] = entry;
    return entry.kernel && entry.what ? 0 : -ENOMEM;
}

static int define(struct module_lifter *l, const struct kesco_ptx_function *from) {
    LLVMValueRef function = LLVMGetNamedFunction(l->to->module, from->name);
    if (!from->has_body || !function || !LLVMIsDeclaration(function))
        return 0;
    const char *problem = from->problem;
    int error =
        problem ? -EBADMSG : kesco_lift_function(function, from, l->pointers, &l->to->memory, &problem);
    if (error == -EBADMSG)
        error = leave_out(l, function, from, problem);
    return error;
}

/* Has registers and parameters out of memory, and pointers where integers were. */
static int simplify(LLVMModuleRef module) {
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef problem = LLVMRunPasses(module, "function(sroa<preserve-cfg>)", NULL, options);
    LLVMDisposePassBuilderOptions(options);
    if (problem) {
        LLVMConsumeError(problem);
        return -EINVAL;
    }
    int error = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && !error; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            error = kesco_make_pointers(f);
    return error;
}

static int lift(struct module_lifter *l) {
    const struct kesco_ptx_module *from = l->from;
    int error = 0;
    l->to->not_lifted = kesco_arena_alloc(&l->to->memory, from->function_count * sizeof(*l->to->not_lifted));
    if (!l->to->not_lifted)
        return -ENOMEM;
    for (size_t i = 0; i < from->variable_count; i++)
        declare_variable(l, &from->variables[i]);
    for (size_t i = 0; i < from->function_count && !error; i++)
        error = declare_function(l, &from->functions[i]);
    for (size_t i = 0; i < from->function_count && !error; i++)
        error = define(l, &from->functions[i]);
    return error ? error : simplify(l->to->module);
}

int kesco_lift_ptx(LLVMContextRef context, const struct kesco_ptx_module *from,
                   struct kesco_pointer_question pointers, struct kesco_lifted *lifted) {
    *lifted = (struct kesco_lifted){.module = LLVMModuleCreateWithNameInContext("", context)};
    LLVMSetTarget(lifted->module, "nvptx64-nvidia-cuda");
    LLVMSetDataLayout(lifted->module, LAYOUT);
    struct module_lifter l = {.from = from, .pointers = pointers, .context = context, .to = lifted};
    const int error = lift(&l);
    if (error)
        kesco_lifted_free(lifted);
    return error;
}

static bool is_known(const char *name, const struct kesco_variable_name *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i].device, name) == 0)
            return true;
    return false;
}

static bool is_literal(const struct kesco_ptx_variable *variable) {
    return variable->is_own && variable->text &&
           (strncmp(variable->name, "$str", strlen("$str")) == 0 ||
            strncmp(variable->name, "_$_str", strlen("_$_str")) == 0);
}

static void fill_in_literals(struct kesco_lifted *lifted, const struct kesco_ptx_module *from,
                             const struct kesco_variable_name *names, size_t count) {
    LLVMContextRef context = LLVMGetModuleContext(lifted->module);
    for (size_t i = 0; i < from->variable_count; i++) {
        const struct kesco_ptx_variable *variable = &from->variables[i];
        LLVMValueRef literal = LLVMGetNamedGlobal(lifted->module, variable->name);
        if (!literal || !is_literal(variable) || is_known(variable->name, names, count))
            continue;
        LLVMSetInitializer(literal, LLVMConstStringInContext(context, (const char *)variable->text,
                                                             (unsigned)variable->size, true));
        LLVMSetGlobalConstant(literal, true);
        LLVMSetExternallyInitialized(literal, false);
    }
}

bool kesco_lifted_name_variables(struct kesco_lifted *lifted, const struct kesco_ptx_module *from,
                                 const struct kesco_variable_name *names, size_t count) {
    fill_in_literals(lifted, from, names, count);
    for (size_t i = 0; i < count; i++) {
        LLVMValueRef variable = LLVMGetNamedGlobal(lifted->module, names[i].device);
        if (!variable)
            continue;
        LLVMSetValueName2(variable, names[i].host, strlen(names[i].host));
        if (LLVMGetNamedGlobal(lifted->module, names[i].host) != variable)
            return false;
    }
    return true;
}

void kesco_lifted_free(struct kesco_lifted *lifted) {
    if (lifted->module)
        LLVMDisposeModule(lifted->module);
    kesco_arena_free(&lifted->memory);
    *lifted = (struct kesco_lifted){0};
}
