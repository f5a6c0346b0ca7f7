//===- provenance.h - where a kernel's pointers come from ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A points-to analysis: inclusion-based (L. O. Andersen, "Program Analysis and Specialization for the C
// Programming Language", 1994), without an order of execution or calling contexts (kernel_copy.h inlines and
// simplifies first), and field-sensitive in the kernel's structs and in memory of a thread or block alone.
//
// For every value of a kernel and of what it calls: the places that an address made from it may lead into.
// All arithmetic hands on the places of its operands, so pointers may take any shape on their way: integers,
// vectors, halves. Only the index of an address computation does not count: an address leads into what it was
// computed from (C++ [expr.add]).
//
// Memory of a thread or block alone has contents: what was ever stored at each slot of each variable. What is
// loaded from elsewhere may lead anywhere, and what is stored there at an address that nobody knows may be in
// any of it.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_DEVICE_PROVENANCE_H
#define KESCO_PLUGIN_DEVICE_PROVENANCE_H

#include "plugin/device/callee_effects.h"
#include "plugin/device/memory.h"
#include "plugin/device/place_table.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SparseBitVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"

#include <map>

namespace kesco {

/// Numbers of places.
using PlaceSet = llvm::SparseBitVector<64>;

class Provenance {
  public:
    /// Analyses \p Kernel and all that it calls.
    explicit Provenance(llvm::Function &Kernel);

    /// The kernel first, then the functions with a body that it calls, directly or not.
    llvm::ArrayRef<llvm::Function *> functions() const {
        return Functions.getArrayRef();
    }

    /// The places that an address made from \p V may lead into. Empty for the null pointer.
    PlaceSet of(const llvm::Value *V);

    /// The places that all pointers lead to that lie in the memory that \p V leads to.
    PlaceSet pointeesOf(const llvm::Value *V);

    /// The places that a value in the assembly that \p Call is may lead into.
    PlaceSet ofAssembly(const llvm::CallBase &Call, const kesco_assembly_value &V);

    /// As findCalleeEffects has them.
    const CalleeEffects &effectsOf(const llvm::CallBase &Call);

    const MemoryPlace &place(unsigned Number) const {
        return Places[Number];
    }

    /// True if others than a thread or a block may change what is in some of \p Some.
    bool areShared(const PlaceSet &Some) const;

  private:
    static constexpr uint64_t AnySlot = ~UINT64_C(0); ///< of a place's contents

    PlaceSet ofGlobal(const llvm::GlobalVariable &Global);
    PlaceSet ofConstant(const llvm::Constant *C);
    PlaceSet ofArgument(const llvm::Argument &A);
    PlaceSet ofOperands(const llvm::User &U);
    PlaceSet ofArithmetic(const llvm::BinaryOperator &I);
    PlaceSet ofSum(const PlaceSet &Left, const PlaceSet &Right);
    PlaceSet ofSource(const llvm::CallBase &Call, const kesco_assembly_source &Source);
    const kesco_assembly_value *outputOfAssembly(const llvm::Instruction &I);
    void noteDistances(const PlaceSet &Mixed);

    bool isKernelStruct(const MemoryPlace &Place) const;
    PlaceSet membersAt(const llvm::Argument &Struct, const llvm::Value *Address, llvm::Type *Type);
    PlaceSet allMembers(const llvm::Argument &Struct);
    PlaceSet loadFrom(const llvm::Value *Address, llvm::Type *Type);
    llvm::SmallVector<uint64_t, 8> slotsAt(const MemoryPlace &Place, const llvm::Value *Address,
                                           llvm::Type *Type) const;
    PlaceSet contentsAt(unsigned Place, llvm::ArrayRef<uint64_t> Slots) const;
    void storeTo(const llvm::Value *Address, const PlaceSet &Stored, llvm::Type *Type);
    PlaceSet loadThrough(const PlaceSet &From);
    void storeThrough(const PlaceSet &To, const PlaceSet &Stored, bool InBlock);
    void stray(const PlaceSet &To, const PlaceSet &Stored, bool InBlock);
    bool leadsNowhere(const PlaceSet &To);
    void escape(const PlaceSet &Escaped);

    void add(const llvm::Value &V, const PlaceSet &New);
    void addContents(unsigned Place, uint64_t Slot, const PlaceSet &New);
    void solve();
    bool seedNumbers();
    void visit(llvm::Instruction &I);
    void visitCall(llvm::CallBase &Call);
    void visitKnownCall(llvm::CallBase &Call, llvm::Function &Callee);
    void visitOtherCall(llvm::CallBase &Call);
    void visitAssembly(llvm::CallBase &Call, const kesco_assembly_effects &Assembly);

    /// What the analysis has found so far, which only grows.
    struct Solution {
        llvm::DenseMap<const llvm::Value *, PlaceSet> Values;
        std::map<std::pair<unsigned, uint64_t>, PlaceSet> Contents; ///< of own places, by slot
        llvm::DenseMap<const llvm::Function *, PlaceSet> Returned;
        PlaceSet Strayed; ///< what may be in any own place
    };

    /// Addresses that the kernel makes of numbers.
    struct Numbers {
        bool HaveDistances = false; ///< numbers are made of addresses that are none
        bool SawNowhere = false;    ///< an address led to no place
        bool Settled = false;       ///< one that leads to none now is a number
    };

    /// A visit of all instructions.
    struct Round {
        llvm::DenseSet<unsigned> Escaped; ///< own places seen to escape
        bool Changed = false;             ///< something was found
    };

    llvm::Function &Kernel;
    llvm::SetVector<llvm::Function *> Functions;
    PlaceTable Places;
    Solution Found;
    std::map<const llvm::CallBase *, CalleeEffects> Effects;
    Numbers Made;
    Round Now;
};

} // namespace kesco

#endif
