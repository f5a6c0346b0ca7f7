//===- region_objects.h - the objects of a region while it is built -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects what the ops of one region touch. Objects are numbered as they come; those that a pointer may lead
// into without anybody knowing which become one; pointers of unknown origin get guards against the others,
// and so do pointers to different places in one object, where the run can tell how far what is touched after
// them goes. Where the program claims that pointers are distinct, objects are, or parts of one object,
// without a guard. And objects that ops touch in ranges of bytes are cut into parts, so that ops on different
// parts do not conflict.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_REGION_REGION_OBJECTS_H
#define KESCO_PLUGIN_REGION_REGION_OBJECTS_H

#include "plugin/region/extents.h"
#include "plugin/region/objects.h"
#include "plugin/region/regions.h"
#include "plugin/region/sampled_launches.h"

extern "C" {
#include "plugin/region/touches.h"
}

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace llvm {
class Loop;
class SCEV;
class ScalarEvolution;
} // namespace llvm

namespace kesco {

class RegionObjects {
  public:
    RegionObjects(Region &R, llvm::ScalarEvolution &Evolution) : R(R), Evolution(Evolution) {
    }

    /// What an op does to an object, and what is known of that in IR.
    struct Touch : kesco_touch {
        Extent Bytes;
        /// How far past the object's beginning its pointer leads, where the run will tell which bytes
        /// after that it touches; else null.
        const llvm::SCEV *From;
        ClaimChain Claims; ///< those that hold for its pointer
        bool IsWhole;      ///< it is of a pointer to the whole of which the object is a part by claims
        /// Of SampledLaunches: which bytes past its pointer the launch touches, as far as the run will tell.
        std::optional<unsigned> Launch = {};
    };

    /// The numbers of objects by what they are known by; \p Name is for people, the first one given counts,
    /// and so is \p Place, where that is used.
    unsigned allocation(const llvm::CallBase &Allocation, llvm::StringRef Name);
    unsigned hostMemory(const llvm::Value &Memory, llvm::StringRef Name, llvm::StringRef Place);
    unsigned origin(const llvm::Value &Origin, bool IsLoaded, llvm::StringRef Name, unsigned Where,
                    llvm::StringRef Place);
    unsigned variable(llvm::StringRef Name); ///< a device variable
    unsigned constant(llvm::StringRef Name); ///< one that only the host can write, as a kernel says
    unsigned shared(llvm::StringRef Name);   ///< what no pointer leads to

    /// Two objects count as one.
    void merge(unsigned A, unsigned B);

    void touch(Touch T) {
        Touches.push_back(std::move(T));
    }

    /// Notes that the claim that \p Call belongs to, one of its two calls, says nothing here.
    void addIdleClaim(const llvm::CallBase &Call);

    /// Once all is collected: fills in the region's objects, parts and guards, and its ops' accesses; numbers
    /// in their Pointers become those of the region. \p Copy is the function.
    void settle(const llvm::Function &Copy, const SampledLaunches &Sampled);

  private:
    /// Of objects as they come, by what they are known by.
    struct Numbers {
        llvm::DenseMap<const llvm::CallBase *, unsigned> Allocations; ///< by the call that allocates
        llvm::DenseMap<const llvm::Value *, unsigned> HostMemory;     ///< the program's own, by what makes it
        llvm::MapVector<const llvm::Value *, unsigned> Unknowns;      ///< by origin
        llvm::SmallPtrSet<const llvm::Value *, 8> Loaded; ///< those of Unknowns that pointers are loaded from
        llvm::StringMap<unsigned> Variables;              ///< by the name of the device variable
        llvm::StringSet<> Constants;                      ///< those of Variables that only the host can write
        llvm::StringMap<unsigned> Shared;                 ///< by name
    };

    /// What launches touch past one pointer, in groups that are told apart.
    struct RangeInGroup {
        unsigned Launch; ///< of SampledLaunches, one that touches that
        unsigned Group;
    };
    struct RangeGroups {
        llvm::SmallVector<RangeInGroup, 8> Ranges;
        unsigned Count = 0; ///< groups

        /// What \p Launch touches; null: none of them.
        const RangeInGroup *find(unsigned Launch, const SampledLaunches &Sampled) const;
    };

    void addObject(llvm::StringRef Name, unsigned Where);
    void addPart(unsigned Object, unsigned Number);
    unsigned add(llvm::StringRef Name, unsigned Where, std::string Place = "");
    void mergeStored(const llvm::Function &Copy);
    void mergeElements();
    void mergeLookedUp(const llvm::Function &Copy);
    void mergeObjects();
    void noteKinds(llvm::ArrayRef<unsigned> Number);
    void splitObjects();
    bool mayBeSplit(unsigned Object) const;
    bool isInPieces(const Touch &T) const;
    llvm::SmallVector<const llvm::SCEV *, 8> findStarts(unsigned Object) const;
    bool isOnePart(const Touch &T, llvm::ArrayRef<const llvm::SCEV *> Starts) const;
    void split(unsigned Object, llvm::ArrayRef<const llvm::SCEV *> Starts);
    /// Takes \p Object apart. \p PartOf: the number of the one part that a touch is of, none for all of them,
    /// which \p AreWhole then. \p IsAlike: a pointer of the same op goes with the touch.
    void splitInto(unsigned Parts, unsigned Object, bool AreWhole,
                   llvm::function_ref<std::optional<unsigned>(const Touch &)> PartOf,
                   llvm::function_ref<bool(const PointerSource &, const Touch &)> IsAlike);
    void splitRanges(const SampledLaunches &Sampled);
    bool isRanged(const Touch &T, const SampledLaunches &Sampled) const;
    llvm::SmallVector<unsigned, 8> findRanges(unsigned Object, const SampledLaunches &Sampled) const;
    static RangeGroups group(llvm::ArrayRef<unsigned> Ranges, const SampledLaunches &Sampled);
    void splitByRanges(unsigned Object, const RangeGroups &Groups, const SampledLaunches &Sampled);
    void splitClaimed();
    llvm::SmallVector<ClaimChain, 4> findDistinct(unsigned Object) const;
    void splitByClaims(unsigned Object, llvm::ArrayRef<ClaimChain> Distinct);
    bool areDistinct(unsigned A, unsigned B);
    void tellClaims();
    kesco_touches settleTouches();
    void addAccesses(const kesco_touches &Settled);

    Region &R;
    llvm::ScalarEvolution &Evolution;
    std::vector<Touch> Touches;
    std::vector<std::string>
        Places; ///< by object: where it is allocated, or used first, for people; may be empty
    Numbers Of;
    llvm::EquivalenceClasses<unsigned> Merged; ///< objects that count as one
    unsigned Trap = KESCO_OBJECT_ANY;          ///< MayTrap of Shared, by the region's own number
    llvm::MapVector<const llvm::CallBase *, unsigned>
        Relied; ///< second calls of the region's Claims: their indices
    llvm::SmallPtrSet<const llvm::CallBase *, 4> IdleClaims; ///< second calls of the region's IdleClaims
};

} // namespace kesco

#endif
