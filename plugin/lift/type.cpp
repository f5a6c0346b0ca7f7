#include "plugin/lift/type.h"

#include "plugin/device/memory.h"
#include "plugin/words.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace kesco {

std::optional<PtxType> ptxType(StringRef Name) {
    if (Name == "pred")
        return PtxType{'b', 1};
    if (Name == "f16x2" || Name == "bf16x2")
        return PtxType{'f', 32};
    if (Name == "bf16")
        return PtxType{'f', 16};
    unsigned Bits;
    if (Name.empty() || !StringRef("busf").contains(Name[0]) || Name.drop_front().getAsInteger(10, Bits) ||
        !is_contained({8u, 16u, 32u, 64u, 128u}, Bits))
        return std::nullopt;
    return PtxType{Name[0], Bits};
}

PtxOpcode::PtxOpcode(StringRef Text) {
    SmallVector<StringRef, 8> Parts;
    Text.split(Parts, '.');
    Base = Parts[0];
    for (StringRef Part : drop_begin(Parts))
        if (std::optional<PtxType> Type = ptxType(Part))
            Types.push_back(*Type);
        else
            Rest.push_back(Part);
}

bool PtxOpcode::has(StringRef Part) const {
    return is_contained(Rest, Part);
}

bool PtxOpcode::hasOnly(StringRef Allowed) const {
    return all_of(Rest, [&](StringRef Part) {
        return kesco_words_have(Allowed.data(), Part.data(), Part.size(), /*begin=*/false);
    });
}

unsigned PtxOpcode::lanes() const {
    return has("v8") ? 8 : has("v4") ? 4 : has("v2") ? 2 : 1;
}

unsigned PtxOpcode::space() const {
    if (has("shared") || has("shared::cta"))
        return SharedSpace;
    if (has("shared::cluster"))
        return ClusterSpace;
    return has("local") ? unsigned(LocalSpace) : has("const") ? unsigned(ConstantSpace) : 0;
}

} // namespace kesco
