#include "plugin/messages/thread_launches.h"

#include "plugin/cuda/op_sites.h"
#include "plugin/ir/walk.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace kesco {

static constexpr StringLiteral ForksTeam = "__kmpc_fork_call"; /* of OpenMP */

static bool startsThread(const Function &F) {
    const StringRef Name = F.getName();
    return F.isDeclaration() && (Name == "pthread_create" || Name == "thrd_create" || Name == ForksTeam ||
                                 Name.starts_with("_ZNSt6thread15_M_start_thread"));
}

/// True for what headers of the C++ library define.
static bool isOfStd(const Function &F) {
    for (StringRef Start : {"_ZNSt", "_ZNKSt", "_ZSt", "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx"})
        if (F.getName().starts_with(Start))
            return true;
    return false;
}

static bool launchesOnDefault(const CallBase &Call) {
    if (!isPushConfiguration(Call))
        return false;
    const std::optional<unsigned> Stream = constantStream(*Call.getArgOperand(pushStreamOperand(Call)));
    return Stream == 0u || Stream == LegacyStream;
}

/// The functions in \p C, and in the variables that it leads to.
static void collectFunctions(const Constant &C, SmallSetVector<const Function *, 8> &Found) {
    SmallSetVector<const Constant *, 8> Work;
    Work.insert(&C);
    for (unsigned I = 0; I < Work.size(); ++I) {
        const Constant *At = Work[I];
        if (const auto *F = dyn_cast<Function>(At)) {
            Found.insert(F);
            continue;
        }
        const auto *Variable = dyn_cast<GlobalVariable>(At);
        if (Variable && (!Variable->hasInitializer() || !Variable->isConstant()))
            continue; /* who calls by it starts no thread by that */
        for (const Use &U : At->operands())
            if (const auto *Part = dyn_cast<Constant>(U); Part && !isa<ConstantData>(Part))
                Work.insert(Part);
    }
}

ThreadLaunches::ThreadLaunches(Module &M) {
    if (none_of(M, startsThread))
        return;
    for (const Function &F : M)
        addReferences(F);
    findLaunches(M);
    findStarters(M);
}

void ThreadLaunches::addReferences(const Function &F) {
    for (const Instruction &I : instructions(F)) {
        const auto *Call = dyn_cast<CallBase>(&I);
        Functions Found;
        for (const Use &U : I.operands())
            if (const auto *C = dyn_cast<Constant>(U);
                C && !isa<ConstantData>(C) && !(Call && Call->isCallee(&U)))
                collectFunctions(*C, Found);
        if (const Function *Callee = Call ? Call->getCalledFunction() : nullptr)
            Found.insert(Callee);
        for (const Function *Other : Found)
            Referring[Other].insert(&F);
    }
}

void ThreadLaunches::findLaunches(Module &M) {
    for (const Function &F : M)
        for (const Instruction &I : instructions(F))
            if (const auto *Call = dyn_cast<CallBase>(&I); Call && launchesOnDefault(*Call))
                Launches.try_emplace(&F, Call);
    for (unsigned I = 0; I < Launches.size(); ++I) {
        const auto [F, Launch] = *std::next(Launches.begin(), I);
        for (const Function *Other : Referring.lookup(F))
            Launches.try_emplace(Other, Launch);
    }
}

void ThreadLaunches::findStarters(const Module &M) {
    for (const Function &F : M)
        if (startsThread(F))
            Starters.insert(&F);
    for (unsigned I = 0; I < Starters.size(); ++I)
        for (const Function *Other : Referring.lookup(Starters[I]))
            if (isOfStd(*Other))
                Starters.insert(Other);
}

/// The functions that \p Start, a call, is given: as they are, or in variables that it is given.
static SmallSetVector<const Function *, 8> givenTo(const CallBase &Start) {
    SmallSetVector<const Function *, 8> Given;
    for (const Use &Argument : Start.args()) {
        if (const auto *Itself = dyn_cast<Constant>(Argument))
            collectFunctions(*Itself, Given);
        else if (const auto *Variable = dyn_cast<AllocaInst>(Argument->stripPointerCasts()))
            for (const User *U : Variable->users())
                if (const auto *Store = dyn_cast<StoreInst>(U))
                    if (const auto *C = dyn_cast<Constant>(Store->getValueOperand()))
                        collectFunctions(*C, Given);
    }
    return Given;
}

/// What is launched by a thread that \p Call starts; null for nothing.
const CallBase *ThreadLaunches::launchOf(const Instruction &I) const {
    const auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || !Starters.contains(Call->getCalledFunction()))
        return nullptr;
    Functions Given = givenTo(*Call);
    Given.insert(Call->getCalledFunction());
    for (const Function *F : Given)
        if (const CallBase *Launch = Launches.lookup(F))
            return Launch;
    return nullptr;
}

static bool waitsForThread(const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Callee &&
           (Callee->getName() == "pthread_join" || Callee->getName() == "thrd_join" ||
            Callee->getName() == "_ZNSt6thread4joinEv" || Callee->getName() == "_ZNSt7jthread4joinEv");
}

/// True if another such thread is started beside the one of \p Start, before any is waited for.
bool ThreadLaunches::hasOthersBeside(const CallBase &Start) const {
    bool Found = Start.getCalledFunction()->getName() == ForksTeam;
    if (!Found)
        walkForward(after(Start), [&](const Instruction &I) {
            Found = launchOf(I) != nullptr;
            return Found ? Walk::End : waitsForThread(I) ? Walk::Turn : Walk::On;
        });
    return Found;
}

std::optional<SerialReason> ThreadLaunches::find(const Function &F) const {
    if (Starters.empty() || isOfStd(F))
        return std::nullopt;
    for (const Instruction &I : instructions(F)) {
        const CallBase *Launch = launchOf(I);
        if (!Launch || !hasOthersBeside(cast<CallBase>(I)))
            continue;
        const DebugLoc Where = placeInProgram(Launch->getDebugLoc());
        return SerialReason{
            placeInProgram(I.getDebugLoc()),
            "what these threads launch on the default stream" +
                (Where ? " (line " + std::to_string(Where.getLine()) + ")" : std::string()) +
                " does not overlap, as that is one stream for all of them; if the program allows, give each "
                "its own, as -Xclang -fgpu-default-stream=per-thread does"};
    }
    return std::nullopt;
}

} // namespace kesco
