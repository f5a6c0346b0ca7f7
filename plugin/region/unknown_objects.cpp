#include "plugin/cuda/cuda_model.h"
#include "plugin/region/region_objects.h"

using namespace llvm;

namespace kesco {

/// True if \p Object, an unknown one, may be a device variable that it conflicts with. Kernels cannot write
/// constants.
bool RegionObjects::conflictsWithVariables(unsigned Object) const {
    auto IsWritten = [&](unsigned Other) { return R.objects.items[Other].written; };
    bool Transferred =
        any_of(Touches, [&](const Touch &T) { return T.Object == Object && T.Write && T.IsTransfer; });
    return (!VariableObjects.empty() &&
            (R.objects.items[Object].written || any_of(VariableObjects, IsWritten))) ||
           (!ConstantObjects.empty() && (Transferred || any_of(ConstantObjects, IsWritten)));
}

/// Unknown pointers are guarded against all others. Against a device variable there is no guard: where the
/// two would conflict, the pointer may lead to any memory.
void RegionObjects::settleUnknowns() {
    for (unsigned Object : Unknown)
        if (R.objects.items[Object].where & DeviceMemory && conflictsWithVariables(Object))
            Forgotten.insert(Object);
    forgetUnknowns();
    addGuards();
}

/// A touch of a device variable that \p Is holds for, one with a write first; null for none.
const RegionObjects::Touch *RegionObjects::findVariable(function_ref<bool(const Touch &)> Is) const {
    const Touch *Found = nullptr;
    for (const Touch &T : Touches)
        if ((VariableObjects.contains(T.Object) || ConstantObjects.contains(T.Object)) && Is(T) &&
            (!Found || (T.Write && !Found->Write)))
            Found = &T;
    return Found;
}

/// What is said of \p T, of an object that may be a device variable. Where its op has such a variable in
/// common with another op as well, it stays behind that one whatever is known of the object.
std::string RegionObjects::doubtOf(const Touch &T) const {
    const Touch *Variable = findVariable([](const Touch &) { return true; });
    const std::string Begin =
        "the allocation behind argument '" + std::string(R.objects.items[T.Object].name) +
        "' is unknown, and may be device variable '" + R.objects.items[Variable->Object].name + "', which '" +
        R.ops.items[Variable->Op].op.name + "' uses; allocate it in this function";
    const auto ofOp = [&](const Touch &Own) { return Own.Op == T.Op; };
    const Touch *Other = findVariable([&](const Touch &Theirs) {
        return Theirs.Op != T.Op && findVariable([&](const Touch &Own) {
                   return ofOp(Own) && Own.Object == Theirs.Object && (Own.Write || Theirs.Write);
               });
    });
    if (!Other)
        return Begin;
    const unsigned Line = R.ops.items[Other->Op].source.line;
    return Begin + ", and give each kernel a variable of its own: '" + R.ops.items[Other->Op].op.name + "'" +
           (Line > 0 ? " (line " + std::to_string(Line) + ")" : "") + " uses '" +
           R.objects.items[Other->Object].name + "', too";
}

void RegionObjects::forgetUnknowns() {
    Unguarded.insert(Forgotten.begin(), Forgotten.end());
    for (const Touch &T : Touches)
        if (Forgotten.contains(T.Object) && !R.ops.items[T.Op].memory.doubt)
            R.ops.items[T.Op].memory.doubt = R.text(doubtOf(T));
    for (Op &O : all(R.ops))
        eraseIf(O.memory.pointers,
                [&](const kesco_pointer &P) { return Forgotten.contains(P.object) && !P.must_be_locked; });
    Unknown.remove_if([&](unsigned Object) { return Forgotten.contains(Object); });
}

} // namespace kesco
