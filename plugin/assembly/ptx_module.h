/*
 * Reads a PTX module as compilers write it (PTX ISA, "PTX Machine Model" and "Directives"): its variables,
 * its functions with their parameters, and the bodies of these, as ptx.h has them.
 *
 *     .target sm_90
 *     .global .align 4 .b8 table[16];
 *     .visible .entry kernel(.param .u64 .ptr kernel_param_0, .param .u32 kernel_param_1) { ... }
 *     .func (.param .b32 result) helper(.param .b64 helper_param_0) { ... }
 */
#ifndef KESCO_PLUGIN_ASSEMBLY_PTX_MODULE_H
#define KESCO_PLUGIN_ASSEMBLY_PTX_MODULE_H

#include "plugin/assembly/ptx.h"

#ifdef __cplusplus
extern "C" {
#endif

struct kesco_ptx_function {
    const char *name;
    bool is_kernel;
    bool is_weak;        /* another may take its place */
    bool has_body;       /* the text has its body, whether it is understood or not */
    const char *problem; /* what of the body is not understood; NULL: nothing, and there is one */
    struct kesco_ptx_variable *parameters; /* the result first, if there is one */
    size_t parameter_count;
    bool has_result;
    struct kesco_ptx body;
};

/* Arrays and texts belong to it. */
struct kesco_ptx_module {
    unsigned target; /* 90 of sm_90a */
    struct kesco_ptx_variable *variables;
    struct kesco_ptx_function *functions; /* one that is declared and defined is there twice */
    size_t variable_count, function_count;
    char *names;
};

/* Reads the `length` bytes at `text` into `module`, which need not be initialised, and which
 * kesco_ptx_module_free frees. -EBADMSG: the text is no PTX that is understood, but for bodies, and `problem`
 * says what of it, as kesco_ptx_read does. -ENOMEM. After an error there is nothing to free. */
int kesco_ptx_module_read(struct kesco_ptx_module *module, const char *text, size_t length,
                          const char **problem);

void kesco_ptx_module_free(struct kesco_ptx_module *module);

#ifdef __cplusplus
}
#endif

#endif
