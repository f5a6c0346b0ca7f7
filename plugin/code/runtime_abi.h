//===- runtime_abi.h - the ABI of the runtime as LLVM has it -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Made of the list in runtime/kesco_abi.def: the names and types there are the only ones.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_CODE_RUNTIME_ABI_H
#define KESCO_PLUGIN_CODE_RUNTIME_ABI_H

#include "runtime/kesco_abi.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"

#include <optional>
#include <type_traits>

namespace kesco {

/// The runtime's functions; AbiFunction::enter is __kesco1_enter.
enum class AbiFunction {
#define KESCO_ABI_FUNCTION(result, name, parameters) name,
#include "runtime/kesco_abi.def"
};

/// The function \p F of the runtime, declared in \p M.
llvm::FunctionCallee declareAbi(llvm::Module &M, AbiFunction F);

/// Writes a call of \p F where \p Builder stands.
llvm::CallInst *callAbi(llvm::IRBuilderBase &Builder, AbiFunction F,
                        llvm::ArrayRef<llvm::Value *> Arguments = {});

/// The function of the runtime that has this name, if any does.
std::optional<AbiFunction> findAbi(llvm::StringRef Name);

/// The function of the runtime that \p I calls directly, if it does.
std::optional<AbiFunction> calledAbi(const llvm::Instruction &I);

/// True if something in \p M calls the runtime.
bool usesRuntime(const llvm::Module &M);

/// Lets \p M use the runtime that the program has, and go without where there is none: its calls do nothing
/// then, and return 0, but for those that wait or allocate memory in the program's place, which do that.
void makeRuntimeOptional(llvm::Module &M);

/// The type of LLVM for the C type \p T: void, a pointer, or an integer.
template <typename T>
llvm::Type *abiType(llvm::LLVMContext &Context) {
    static_assert(std::is_void_v<T> || std::is_pointer_v<T> || std::is_integral_v<T>);
    if constexpr (std::is_void_v<T>)
        return llvm::Type::getVoidTy(Context);
    else if constexpr (std::is_pointer_v<T>)
        return llvm::PointerType::getUnqual(Context);
    else
        return llvm::IntegerType::get(Context, 8 * sizeof(T));
}

/// Makes constants of \p Struct, of these \p Fields: a number for each integer, a constant for each pointer.
template <typename Struct, typename... Fields>
class StructConstant {
    template <typename Field>
    using Value = std::conditional_t<std::is_pointer_v<Field>, llvm::Constant *, Field>;

    static llvm::Constant *constant(llvm::LLVMContext &, llvm::Constant *Pointer) {
        return Pointer;
    }

    template <typename Integer>
    static llvm::Constant *constant(llvm::LLVMContext &Context, Integer Number) {
        return llvm::ConstantInt::get(abiType<Integer>(Context), Number);
    }

  public:
    static llvm::Constant *get(llvm::LLVMContext &Context, Value<Fields>... Values) {
        return llvm::ConstantStruct::getAnon({constant(Context, Values)...});
    }
};

/// By struct of the list, what makes constants of it.
template <typename Struct>
class AbiConstant;
#define KESCO_ABI_FIELD(type, name) , type
#define KESCO_ABI_STRUCT(name, fields)                                                                       \
    template <>                                                                                              \
    class AbiConstant<name> : public StructConstant<name fields> {};
#include "runtime/kesco_abi.def"

} // namespace kesco

#endif
