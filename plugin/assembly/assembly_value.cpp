#include "plugin/assembly/assembly_value.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace kesco {

AssemblyValue anything() {
    return {{{AssemblySource::Anything}}};
}

AssemblyValue number() {
    return {{{AssemblySource::Number}}};
}

static bool isNumber(const AssemblySum &Sum) {
    return all_of(Sum, [](const AssemblySource &S) { return S.What == AssemblySource::Number; });
}

AssemblyValue withoutNumbers(AssemblyValue V) {
    return all_of(V, isNumber) ? AssemblyValue() : V;
}

static AssemblySum joined(AssemblySum Sum, const AssemblySum &More) {
    Sum.insert(More.begin(), More.end());
    if (Sum.size() > 1)
        Sum.erase({AssemblySource::Number});
    return Sum;
}

void addParts(AssemblyValue &Parts, const AssemblyValue &Whole) {
    for (const AssemblySum &Sum : Whole)
        for (const AssemblySource &Source : Sum)
            Parts.insert({Source});
}

AssemblyValue sumOf(const AssemblyValue &Left, const AssemblyValue &Right) {
    AssemblyValue Result;
    if (Left.size() * Right.size() > MostSums) {
        addParts(Result, Left);
        addParts(Result, Right);
        return Result;
    }
    for (const AssemblySum &L : Left)
        for (const AssemblySum &R : Right)
            Result.insert(joined(L, R));
    return Result;
}

static bool has(const AssemblySum &Sum, AssemblySource::Kind Kind) {
    return any_of(Sum, [&](const AssemblySource &S) { return S.What == Kind; });
}

bool has(const AssemblyValue &V, AssemblySource::Kind Kind) {
    return any_of(V, [&](const AssemblySum &Sum) { return has(Sum, Kind); });
}

bool followsLoaded(const AssemblyValue &Address) {
    return has(Address, AssemblySource::Loaded) || has(Address, AssemblySource::Anything);
}

} // namespace kesco
