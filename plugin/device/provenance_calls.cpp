#include "plugin/device/provenance.h"

extern "C" {
#include "plugin/summary/summary.h"
}

#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace kesco {

void Provenance::visitCall(CallBase &Call) {
    Function *Callee = Call.getCalledFunction();
    if (Callee && hasKnownBody(*Callee))
        visitKnownCall(Call, *Callee);
    else
        visitOtherCall(Call);
}

void Provenance::visitKnownCall(CallBase &Call, Function &Callee) {
    for (Argument &A : Callee.args()) {
        const Value *Given = Call.getArgOperand(A.getArgNo());
        if (A.hasByValAttr())
            addContents(Places.variable(&A, MemoryPlace::Own), AnySlot, pointeesOf(Given));
        else
            add(A, of(Given));
    }
    add(Call, Found.Returned.lookup(&Callee));
}

const CalleeEffects &Provenance::effectsOf(const CallBase &Call) {
    auto Known = Effects.find(&Call);
    if (Known == Effects.end())
        Known = Effects.emplace(&Call, findCalleeEffects(Call)).first;
    return Known->second;
}

void Provenance::visitOtherCall(CallBase &Call) {
    const CalleeEffects &Known = effectsOf(Call);
    if (Known.Assembly && Known.Unseen.empty())
        return visitAssembly(Call, *Known.Assembly);
    PlaceSet Given, Result;
    for (const Use &Argument : Call.args())
        if (!Argument->getType()->isMetadataTy())
            Given |= of(Argument.get());
    if (Known.CopiesArguments)
        storeTo(Call.getArgOperand(0), pointeesOf(Call.getArgOperand(1)), nullptr);
    if (!Known.Unseen.empty()) {
        escape(Given);
        Result.set(Places.fixed(MemoryPlace::Elsewhere));
    } else if (Known.Allocates) {
        Result.set(Places.fixed(MemoryPlace::Heap));
    } else {
        Result = Given;
    }
    if (Known.Anywhere & KESCO_READS)
        Result.set(Places.fixed(MemoryPlace::Elsewhere));
    for (const ArgumentAccess &Access : Known.Arguments)
        if (Access.Effect & KESCO_READS)
            Result |= pointeesOf(Call.getArgOperand(Access.Argument));
    if (!Known.CopiesArguments)
        for (const ArgumentAccess &Access : Known.Arguments)
            if (Access.Effect & KESCO_WRITES)
                storeTo(Call.getArgOperand(Access.Argument), Given | Result, nullptr);
    if (!Call.getType()->isVoidTy())
        add(Call, Result);
}

/// Through pointers in memory it may do anything to what its arguments lead to.
void Provenance::visitAssembly(CallBase &Call, const kesco_assembly_effects &Assembly) {
    for (const kesco_assembly_sum &Sum : sumsOf(Assembly.mixed))
        for (const kesco_assembly_source &Source : sourcesOf(Sum))
            noteDistances(ofSource(Call, Source));
    if (Assembly.flags & KESCO_ASSEMBLY_FOLLOWS)
        for (const Use &Argument : Call.args())
            escape(of(Argument.get()));
    for (const kesco_assembly_access &Access : accessesOf(Assembly))
        if (Access.effect & KESCO_WRITES)
            storeThrough(ofAssembly(Call, Access.address), ofAssembly(Call, Access.stored), Access.in_block);
    escape(ofAssembly(Call, Assembly.leaving));
    for (const kesco_assembly_value &Value : resultsOf(Assembly))
        add(Call, ofAssembly(Call, Value));
}

} // namespace kesco
