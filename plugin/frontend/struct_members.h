//===- struct_members.h - names for what is in a struct -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_FRONTEND_STRUCT_MEMBERS_H
#define KESCO_PLUGIN_FRONTEND_STRUCT_MEMBERS_H

#include "clang/AST/ASTContext.h"

#include <map>
#include <string>

namespace kesco {

/// What people write after the dot to get at the members of a value, by their offset in bytes.
struct StructMembers {
    std::map<unsigned, std::string> Pointers, Integers;
};

/// Those of the struct type \p Type: members of structs and arrays in it too, as in "views[1].data", and for
/// a lambda the variables that it captures. Of large arrays only the first members have names. Empty for
/// other types.
StructMembers structMembers(clang::QualType Type, const clang::ASTContext &Context);

} // namespace kesco

#endif
