//===- sampled_launches.h - launches that seem to touch other bytes -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where launches touch memory past a pointer, with samples of numbers in place of what only the run knows: a
// guess at what is worth telling apart, and no proof.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_REGION_SAMPLED_LAUNCHES_H
#define KESCO_PLUGIN_REGION_SAMPLED_LAUNCHES_H

#include "plugin/region/extents.h"

#include "llvm/ADT/SetVector.h"

namespace kesco {

class SampledLaunches {
  public:
    explicit SampledLaunches(llvm::ScalarEvolution &Evolution) : Evolution(Evolution) {
    }

    /// The number of \p At, which launches in a loop of \p Loops or in none.
    unsigned add(const Launch &At, const llvm::LoopInfo &Loops);

    /// True if the launch seems to touch the same bytes in each pass of the loops around it.
    bool isSteady(unsigned Number) const {
        return All[Number].IsSteady;
    }

    /// How many parts that are apart the launch touches.
    unsigned parts(unsigned Number) const {
        return std::max(All[Number].Bytes[0].size(), All[Number].Bytes[Seeds].size());
    }

    /// How many bytes it seems to touch, about.
    int64_t bytes(unsigned Number) const;

    bool seemSame(unsigned A, unsigned B) const;

    /// True if the two seem to touch no byte past one pointer that both are given.
    bool seemApart(unsigned A, unsigned B) const;

    /// True if the launch, which writes through \p Pointer, seems to do so beside what one of another kernel,
    /// asked for before, does through the same.
    bool isBesideWrites(const llvm::Value &Pointer, unsigned Number);

  private:
    static constexpr unsigned Seeds = 3;

    struct Sampled {
        Launch At;
        llvm::SmallVector<kesco_pieces, 4> Bytes[2 * Seeds] = {}; ///< none: they are not known
        bool IsSteady = true;
    };

    /// A value of the run, or, by its number, a place that values are loaded from.
    using Known = std::pair<const llvm::SCEV *, uint64_t>;

    uint64_t numberOf(Known Of, const llvm::Argument *Given, unsigned Seed);
    uint64_t numberOf(const llvm::SCEV *Of, unsigned Seed);
    uint64_t valueOf(const llvm::SCEV *Of, unsigned Seed);
    std::optional<int64_t> bitsOf(const llvm::Value &V, unsigned Bit, unsigned Bits, unsigned Seed);
    std::optional<int64_t> bitsAt(const llvm::Value &Address, unsigned Bit, unsigned Bits, unsigned Seed);

    llvm::ScalarEvolution &Evolution;
    std::vector<Sampled> All;
    llvm::SmallSetVector<Known, 8> Seen;
    llvm::SmallVector<std::pair<const llvm::Value *, unsigned>, 8> Writes; ///< through pointers
};

} // namespace kesco

#endif
