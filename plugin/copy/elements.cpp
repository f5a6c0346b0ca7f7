#include "plugin/copy/elements.h"

#include "plugin/cuda/cuda_model.h"
#include "plugin/cuda/transfers.h"
#include "plugin/ir/calls.h"
#include "plugin/ir/kernel_stub.h"
#include "plugin/kernels/kernel_summaries.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace kesco {

/// Where a pointer stands in memory: in an array or in what a function looks into.
struct Element {
    const Value *Array;           ///< null: unknown
    const SCEVAddRecExpr *Number; ///< grows by the same in each pass of a loop
};

/// \p V as a number that grows by one value in each pass of \p L; null if it is none.
static const SCEVAddRecExpr *recurrenceOf(Value *V, const Loop &L, ScalarEvolution &Evolution) {
    while (auto *Cast = dyn_cast<CastInst>(V))
        V = Cast->getOperand(0);
    if (!Evolution.isSCEVable(V->getType()))
        return nullptr;
    const auto *Number = dyn_cast<SCEVAddRecExpr>(Evolution.getSCEV(V));
    return Number && Number->getLoop() == &L && Number->isAffine() ? Number : nullptr;
}

/// The same for a constant value.
static const SCEVAddRecExpr *numberOf(Value *V, const Loop &L, ScalarEvolution &Evolution) {
    const SCEVAddRecExpr *Number = recurrenceOf(V, L, Evolution);
    return Number && isa<SCEVConstant>(Number->getStepRecurrence(Evolution)) ? Number : nullptr;
}

/// What \p Find finds of the last index in \p Address of which it finds something; null for none.
static const SCEVAddRecExpr *indexOf(Value *Address, const Loop &L, ScalarEvolution &Evolution,
                                     decltype(numberOf) Find) {
    for (Value *Part = Address; auto *Offset = dyn_cast<GetElementPtrInst>(Part);
         Part = Offset->getPointerOperand())
        for (Value *Index : Offset->indices())
            if (const SCEVAddRecExpr *Number = Find(Index, L, Evolution))
                return Number;
    return nullptr;
}

/// The place that \p Address is computed from, as &array[k] is.
static std::optional<Element> elementAt(Value *Address, const Loop &L, ScalarEvolution &Evolution) {
    if (const SCEVAddRecExpr *Number = indexOf(Address, L, Evolution, numberOf))
        return Element{getUnderlyingObject(Address), Number};
    if (const SCEVAddRecExpr *Number = numberOf(Address, L, Evolution))
        return Element{nullptr, Number};
    return std::nullopt;
}

/// From a pointer back to where it stood, not more loads and calls than this are looked at.
static constexpr unsigned MostSteps = 4;

/// Where \p Pointer stood before a pass of \p L took it out of memory by a load, or by a call such as a
/// vector's operator; none if that is not seen.
static std::optional<Element> findElement(Value *Pointer, const Loop &L, ScalarEvolution &Evolution,
                                          unsigned Steps = MostSteps) {
    auto *From = dyn_cast<Instruction>(getUnderlyingObject(Pointer));
    if (Steps == 0 || !From || !L.contains(From))
        return std::nullopt;
    if (auto *Load = dyn_cast<LoadInst>(From)) {
        std::optional<Element> Found = elementAt(Load->getPointerOperand(), L, Evolution);
        return Found ? Found : findElement(Load->getPointerOperand(), L, Evolution, Steps - 1);
    }
    const auto *Call = dyn_cast<CallBase>(From);
    if (!Call)
        return std::nullopt;
    for (Value *Argument : Call->args())
        if (const SCEVAddRecExpr *Number = numberOf(Argument, L, Evolution))
            return Element{nullptr, Number};
    return std::nullopt;
}

/// The place within one object to which \p Pointer, an argument of a launch, leads in each pass of \p L,
/// where that goes on from pass to pass. What holds the object's address may do so in memory.
static std::optional<Element> findPlace(Value *Pointer, const Loop &L, ScalarEvolution &Evolution) {
    const auto *From = dyn_cast<LoadInst>(getUnderlyingObject(Pointer));
    const Value *Object = From ? From->getPointerOperand() : getUnderlyingObject(Pointer);
    if (!L.isLoopInvariant(Object))
        return std::nullopt;
    const SCEVAddRecExpr *Number = indexOf(Pointer, L, Evolution, recurrenceOf);
    return Number ? std::optional(Element{Object, Number}) : std::nullopt;
}

/// True for a call that no op of another pass comes past, whatever the pass works on.
static bool separatesPasses(const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const kesco_call *Api = Call ? lookUpApi(*Call) : nullptr;
    return Api && !isTransfer(*Call) &&
           (Api->effect == KESCO_RECORDS || Api->effect == KESCO_CREATES || Api->effect == KESCO_BARRIER);
}

static bool hasSeparatePasses(const Loop &L) {
    return any_of(L.blocks(), [](const BasicBlock *Block) { return any_of(*Block, separatesPasses); });
}

/// A pointer argument of an op that is an element.
struct ElementArgument {
    const Function *Callee; ///< stub of a kernel, or a transfer
    unsigned Number;
    Element Of;
};

/// The pointers that are elements, and those that are places. Places alone bring nothing where passes write
/// what they all share: then there are none.
static SmallVector<ElementArgument, 8> findElements(const Loop &L, ScalarEvolution &Evolution,
                                                    bool WithTransfers, const KernelSummaries &Summaries) {
    SmallVector<ElementArgument, 8> Found, Places;
    bool WritesShared = false;
    for (const BasicBlock *Block : L.blocks())
        for (const CallBase &Call : callsAmong(*Block)) {
            const Function *Callee = Call.getCalledFunction();
            if (!Callee || !(isKernelStub(*Callee) || (WithTransfers && isTransfer(Call))))
                continue;
            for (const Use &Argument : Call.args())
                if (Argument->getType()->isPointerTy()) {
                    unsigned Number = Call.getArgOperandNo(&Argument);
                    std::optional<Element> E = findElement(Argument, L, Evolution);
                    if (E) {
                        Found.push_back({Callee, Number, *E});
                        continue;
                    }
                    if (isKernelStub(*Callee) && Summaries.hasRanges(*Callee, Number))
                        E = findPlace(Argument, L, Evolution);
                    if (E)
                        Places.push_back({Callee, Number, *E});
                    else
                        WritesShared |= !isKernelStub(*Callee) || !Summaries.isOnlyRead(*Callee, Number);
                }
        }
    if (!WritesShared)
        Found.append(Places);
    return Found;
}

static bool mayBeOneArray(const Value *A, const Value *B) {
    return !A || !B || A == B || !isIdentifiedFunctionLocal(A) || !isIdentifiedFunctionLocal(B);
}

/// True if the two are the same in different passes, or if one launch stands there for several passes
/// already.
static bool areNeighbours(const ElementArgument &A, const ElementArgument &B, ScalarEvolution &Evolution) {
    const SCEVAddRecExpr *X = A.Of.Number, *Y = B.Of.Number;
    if (X->getType() != Y->getType() || !mayBeOneArray(A.Of.Array, B.Of.Array))
        return false;
    const SCEV *Distance = Evolution.getMinusSCEV(X, Y), *Step = X->getStepRecurrence(Evolution);
    if (Distance == Step || Distance == Evolution.getNegativeSCEV(Step))
        return true;
    const auto *Apart = dyn_cast<SCEVConstant>(Distance), *Steps = dyn_cast<SCEVConstant>(Step);
    if (!Apart || Apart->isZero())
        return false;
    return (Steps && Apart->getAPInt().srem(Steps->getAPInt()).isZero()) ||
           (A.Callee == B.Callee && A.Number == B.Number);
}

bool takesElements(const Loop &L, ScalarEvolution &Evolution, bool WithTransfers,
                   const KernelSummaries &Summaries) {
    const SmallVector<ElementArgument, 8> Elements = findElements(L, Evolution, WithTransfers, Summaries);
    return !Elements.empty() && !hasSeparatePasses(L) && none_of(Elements, [&](const ElementArgument &A) {
        return any_of(Elements, [&](const ElementArgument &B) { return areNeighbours(A, B, Evolution); });
    });
}

} // namespace kesco
