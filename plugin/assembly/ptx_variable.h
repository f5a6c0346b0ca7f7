/* Declarations of variables and parameters in PTX (PTX ISA, "State Spaces, Types, and Variables"). */
#ifndef KESCO_PLUGIN_ASSEMBLY_PTX_VARIABLE_H
#define KESCO_PLUGIN_ASSEMBLY_PTX_VARIABLE_H

#include "plugin/assembly/ptx_token.h"

/* True for a directive as ".local" that a declaration of memory or of a parameter begins with. */
bool kesco_ptx_is_space(const char *directive);

/* Reads what is after the state space, ".align 8 .b8 name[16]", without values that it begins with. */
bool kesco_ptx_read_variable(struct kesco_ptx_tokens *t, const char *space,
                             struct kesco_ptx_variable *variable);

#endif
