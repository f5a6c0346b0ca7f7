#include "plugin/device/place_table.h"

using namespace llvm;

namespace kesco {

unsigned PlaceTable::fixed(MemoryPlace::Kind What) {
    auto [Entry, IsNew] = Fixed.try_emplace(What, Places.size());
    if (IsNew)
        Places.push_back({What});
    return Entry->second;
}

unsigned PlaceTable::parameter(unsigned Index, unsigned Offset) {
    auto [Entry, IsNew] = Parameters.try_emplace({Index, Offset}, Places.size());
    if (IsNew)
        Places.push_back({MemoryPlace::Parameter, nullptr, Index, Offset});
    return Entry->second;
}

unsigned PlaceTable::variable(const Value *Base, MemoryPlace::Kind What) {
    auto [Entry, IsNew] = Bases.try_emplace(Base, Places.size());
    if (IsNew)
        Places.push_back({What, Base});
    return Entry->second;
}

unsigned PlaceTable::dynamicShared(const GlobalVariable &Global) {
    DynamicShared = DynamicShared ? DynamicShared : &Global;
    return variable(DynamicShared, MemoryPlace::Own);
}

} // namespace kesco
