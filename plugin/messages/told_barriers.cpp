#include "plugin/messages/told_barriers.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <set>
#include <tuple>

using namespace llvm;

namespace kesco {

std::string linesOf(const ToldBarriers &Told) {
    constexpr size_t MostLines = 8;
    const size_t Count = Told.Lines.size(), Named = std::min(Count, MostLines);
    if (Count < 2 || Told.Lines.contains(0))
        return "";
    std::string Text = " (lines ";
    for (size_t I = 0; I < Named; ++I)
        Text += (I == 0 ? "" : I + 1 == Count ? " and " : ", ") + std::to_string(Told.Lines[I]);
    return Text + (Named < Count ? " and " + std::to_string(Count - Named) + " more)" : ")");
}

/// How a remark on \p B begins; nothing where another one tells of it.
static std::optional<std::string> beginOf(const Function &Named, const Barrier &B, ToldWaits &Waits) {
    if (isWait(B))
        return Waits.tell(Named, B.Where, ToldWaits::Kept);
    return ToldWaits::isInAnother(Named, B.Where) ? ToldWaits::beginIn(Named) : "";
}

SmallVector<ToldBarriers, 4> tellBarriers(const FunctionAnalysis &Function, ToldWaits &Waits, bool IsTold,
                                          bool Joins) {
    SmallVector<ToldBarriers, 4> Groups;
    std::set<std::tuple<unsigned, unsigned, std::string>> Seen;
    for (const Barrier &B : Function.Barriers) {
        if ((Joins && B.IsUnseen) ||
            (B.Where && !Seen.insert({B.Where.getLine(), B.Where.getCol(), B.Why}).second))
            continue;
        const std::optional<std::string> Begin = beginOf(*Function.Named, B, Waits);
        if (!Begin)
            continue;
        auto *Group = find_if(Groups, [&](const ToldBarriers &G) {
            return G.First->Why == B.Why && StringRef(G.First->Advice) == B.Advice && G.Begin == *Begin;
        });
        if (Group == Groups.end())
            Group = &Groups.emplace_back(ToldBarriers{&B, *Begin, {}, 0});
        Group->Lines.insert(B.Line);
        ++Group->Count;
    }
    if (Groups.empty() && !IsTold && !Joins && !Function.Barriers.empty())
        Groups.push_back({&Function.Barriers.front(), ToldWaits::beginIn(*Function.Named), {}, 1});
    return Groups;
}

} // namespace kesco
