#include "plugin/region/error_end.h"

#include "plugin/cuda/host_library.h"
#include "plugin/ir/calls.h"
#include "plugin/summary/hash.h"
#include "runtime/kesco_abi.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <set>
#include <string>

using namespace llvm;

namespace kesco {

/// True for what the library writes to its streams by: members of std::ostream, operator<<, std::endl and
/// std::flush.
static bool writesToStream(const Function &F) {
    static constexpr StringLiteral Begins[] = {"_ZNSo", "_ZStlsI", "_ZSt4endlI", "_ZSt5flushI"};
    return any_of(Begins, [&](StringRef Begin) { return F.getName().starts_with(Begin); });
}

/// True for a call of such a function that is given no other function.
static bool onlyWritesToStream(const CallBase &Call) {
    const auto isOne = [](const Value *V) {
        const auto *Called = dyn_cast<Function>(V->stripPointerCasts());
        return !Called || writesToStream(*Called);
    };
    return isa<Function>(Call.getCalledOperand()->stripPointerCasts()) && isOne(Call.getCalledOperand()) &&
           all_of(Call.args(), isOne);
}

/// True if \p F, which is only declared, throws nothing, and calls nothing that is not seen.
static bool isKnown(const Function &F) {
    return !throwsFromLibrary(F) && (isCudaFunction(F) || isHostLibraryFunction(F) || isOfLibrary(F));
}

namespace {

/// What is known of a value.
struct Known {
    const Constant *Value = nullptr; ///< that it is; null for unknown
    bool IsError = false;            ///< it is a number, and not 0
};

/// The way of an error through a function that is given these arguments.
class ErrorWay {
  public:
    /// \p Ends: the texts of what ends the program.
    ErrorWay(const Function &F, SmallVector<Known, 4> Given, unsigned Depth, std::set<std::string> &Ends)
        : F(F), Given(std::move(Given)), Depth(Depth), Ends(Ends) {
    }

    bool ends() {
        SmallSetVector<const BasicBlock *, 16> Blocks;
        Blocks.insert(&F.getEntryBlock());
        for (unsigned Next = 0; Next < Blocks.size(); ++Next)
            if (!follow(*Blocks[Next], Blocks))
                return false;
        return true;
    }

  private:
    enum class Call { Ends, ComesBack, Unknown };

    /// Adds where control comes from \p Block to \p Blocks. False: it may leave the function.
    bool follow(const BasicBlock &Block, SmallSetVector<const BasicBlock *, 16> &Blocks) {
        for (const CallBase &Each : callsAmong(Block)) {
            const Call Does = what(Each);
            if (Does != Call::ComesBack)
                return Does == Call::Ends;
        }
        const Instruction *End = Block.getTerminator();
        if (const auto *Branch = dyn_cast<BranchInst>(End); Branch && Branch->isConditional())
            if (const auto *Taken = dyn_cast_or_null<ConstantInt>(known(*Branch->getCondition()).Value)) {
                Blocks.insert(Branch->getSuccessor(Taken->isZero() ? 1 : 0));
                return true;
            }
        if (const auto *Invoke = dyn_cast<InvokeInst>(End)) { /* what throws is none of these */
            Blocks.insert(Invoke->getNormalDest());
            return true;
        }
        if (isa<ReturnInst>(End) || isa<ResumeInst>(End))
            return false;
        Blocks.insert(succ_begin(&Block), succ_end(&Block));
        return true;
    }

    Call what(const CallBase &Of) const {
        constexpr unsigned MostDepth = 4;
        if (Of.isInlineAsm() || isa<IntrinsicInst>(Of) || onlyWritesToStream(Of))
            return Call::ComesBack;
        const auto *Callee = dyn_cast<Function>(Of.getCalledOperand()->stripPointerCasts());
        if (!Callee)
            return Call::Unknown;
        if (Callee->isDeclaration()) {
            if (throwsFromLibrary(*Callee) || Callee->getName().starts_with("__cxa_"))
                return Call::Unknown;
            if (!isKnown(*Callee))
                return Call::Unknown;
            if (!Of.doesNotReturn())
                return Call::ComesBack;
            if (std::optional<std::string> Text = textOf(Of, *Callee)) {
                Ends.insert(std::move(*Text));
                return Call::Ends;
            }
            return Call::Unknown;
        }
        if (Depth < MostDepth && !Callee->isInterposable() &&
            ErrorWay(*Callee, given(Of), Depth + 1, Ends).ends())
            return Call::Ends;
        SmallPtrSet<const Function *, 8> Seen;
        return mayDoOther(*Callee, Seen) ? Call::Unknown : Call::ComesBack;
    }

    /// The call of a library's function that ends the program, with the numbers that it is given; nothing
    /// where one depends on more than the error.
    std::optional<std::string> textOf(const CallBase &Of, const Function &Callee) const {
        std::string Text = Callee.getName().str();
        for (const Use &Each : Of.args()) {
            const Known Number = known(*Each);
            const auto *Value = dyn_cast_or_null<ConstantInt>(Number.Value);
            if (!Each->getType()->isIntegerTy())
                continue;
            if (!Value && !Number.IsError)
                return std::nullopt;
            Text += Value ? " " + std::to_string(Value->getSExtValue()) : " error";
        }
        return Text;
    }

    SmallVector<Known, 4> given(const CallBase &Of) const {
        SmallVector<Known, 4> Result;
        for (const Use &Each : Of.args())
            Result.push_back(known(*Each));
        return Result;
    }

    /// True if \p Callee may throw, or call what is not seen.
    static bool mayDoOther(const Function &Callee, SmallPtrSet<const Function *, 8> &Seen) {
        return Seen.insert(&Callee).second && any_of(callsIn(Callee), [&](const CallBase &Each) {
                   const auto *Next = dyn_cast<Function>(Each.getCalledOperand()->stripPointerCasts());
                   if (!Next || Next->isIntrinsic())
                       return !Next && !Each.isInlineAsm();
                   if (onlyWritesToStream(Each))
                       return false;
                   return Next->isDeclaration() ? !isKnown(*Next) : mayDoOther(*Next, Seen);
               });
    }

    Known known(const Value &V) const {
        if (const auto *C = dyn_cast<Constant>(&V))
            return {C, false};
        if (const auto *Argument = dyn_cast<llvm::Argument>(&V))
            return Argument->getArgNo() < Given.size() ? Given[Argument->getArgNo()] : Known();
        if (const auto *Load = dyn_cast<LoadInst>(&V))
            return knownIn(*Load);
        if (const auto *Expected = dyn_cast<IntrinsicInst>(&V))
            return Expected->getIntrinsicID() == Intrinsic::expect ? known(*Expected->getArgOperand(0))
                                                                   : Known();
        if (const auto *Cast = dyn_cast<CastInst>(&V))
            return knownOf(*Cast);
        const auto *Compare = dyn_cast<ICmpInst>(&V);
        return Compare ? knownOf(*Compare) : Known();
    }

    /// What a variable holds that is stored once.
    Known knownIn(const LoadInst &Load) const {
        const auto *Variable = dyn_cast<AllocaInst>(Load.getPointerOperand());
        const StoreInst *Stored = nullptr;
        if (!Variable || Load.isVolatile())
            return {};
        for (const User *Each : Variable->users()) {
            const auto *Store = dyn_cast<StoreInst>(Each);
            if (Store && Store->getPointerOperand() == Variable && !Stored)
                Stored = Store;
            else if (Store || !(isa<LoadInst>(Each) || cast<Instruction>(Each)->isLifetimeStartOrEnd()))
                return {};
        }
        return Stored && Stored->getValueOperand()->getType() == Load.getType()
                   ? known(*Stored->getValueOperand())
                   : Known();
    }

    Known knownOf(const CastInst &Cast) const {
        const Known From = known(*Cast.getOperand(0));
        if (From.IsError)
            return {nullptr, isa<ZExtInst>(Cast) || isa<SExtInst>(Cast)};
        return {From.Value ? ConstantFoldCastOperand(Cast.getOpcode(), const_cast<Constant *>(From.Value),
                                                     Cast.getType(), layout())
                           : nullptr,
                false};
    }

    Known knownOf(const ICmpInst &Compare) const {
        Known Left = known(*Compare.getOperand(0)), Right = known(*Compare.getOperand(1));
        if (Right.IsError)
            std::swap(Left, Right);
        if (Left.IsError)
            return {Compare.isEquality() && Right.Value && Right.Value->isNullValue()
                        ? ConstantInt::getBool(Compare.getType(), Compare.getPredicate() == ICmpInst::ICMP_NE)
                        : nullptr,
                    false};
        return {Left.Value && Right.Value ? ConstantFoldCompareInstOperands(
                                                Compare.getPredicate(), const_cast<Constant *>(Left.Value),
                                                const_cast<Constant *>(Right.Value), layout())
                                          : nullptr,
                false};
    }

    const DataLayout &layout() const {
        return F.getParent()->getDataLayout();
    }

    const Function &F;
    const SmallVector<Known, 4> Given; ///< by argument
    const unsigned Depth;              ///< of calls
    std::set<std::string> &Ends;
};

} // namespace

std::optional<uint32_t> endForErrors(const Function &F) {
    std::set<std::string> Ends;
    if (!ErrorWay(F, {Known{nullptr, true}}, 0, Ends).ends())
        return std::nullopt;
    const std::string All = join(Ends, ";");
    return std::max<uint32_t>(static_cast<uint32_t>(kesco_hash(All.data(), All.size())),
                              KESCO_ENDS_SEVERAL + 1);
}

} // namespace kesco
