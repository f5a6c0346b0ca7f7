//===- exclusions.h - what is not to be scheduled ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attribute kesco_off, and the plugin option `exclude`: a file in the format of sanitizers' ignore lists
// (LLVM's SpecialCaseList), a line each:
//
//     # the solver has an order of its own
//     fun:ns::solve*
//     src:legacy/*
//
// A function is named as reports have it, or up to a "(", or mangled; a kernel likewise. src is the source
// file as the compiler is given it.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_PLAN_EXCLUSIONS_H
#define KESCO_PLUGIN_PLAN_EXCLUSIONS_H

#include "plugin/frontend/source_facts.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SpecialCaseList.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace kesco {

class Exclusions {
  public:
    /// A line that is for KeSCo, and begins with none of the words that it knows.
    struct UnknownPrefix {
        unsigned Line;
        std::string Text;
    };

    /// A line for KeSCo that names one function or kernel, without `*`.
    struct PlainName {
        unsigned Line;
        std::string Name;
    };

    /// Reads the list in the file \p Path; there is none if that is empty. Fails with one line that names the
    /// file and what is wrong in it.
    static llvm::Expected<Exclusions> read(const std::string &Path);

    /// Marks the functions and stubs of \p M, of the source file \p Source, that are excluded
    /// (ir/off_mark.h).
    void mark(llvm::Module &M, llvm::StringRef Source, const SourceFacts &Facts) const;

    /// What \p F, a function or the stub of a kernel, may be called in a list: mangled, as in reports, and
    /// that up to its parameters.
    static std::array<std::string, 3> namesOf(const llvm::Function &F);

    const std::string &path() const {
        return Path;
    }
    llvm::ArrayRef<UnknownPrefix> unknownPrefixes() const {
        return Unknown;
    }
    llvm::ArrayRef<PlainName> plainNames() const {
        return Plain;
    }

    /// True if there are lines, and all are in sections of other tools.
    bool isForOthers() const {
        return Others > 0 && Ours == 0;
    }

  private:
    void readLines(const llvm::MemoryBuffer &File);
    std::string whyListed(const llvm::Function &F, llvm::StringRef Source) const;
    unsigned lineOf(llvm::StringRef Kind, llvm::StringRef Name) const;

    std::string Path;
    std::unique_ptr<llvm::SpecialCaseList> List; ///< null: there is none
    std::vector<UnknownPrefix> Unknown;
    std::vector<PlainName> Plain;
    unsigned Ours = 0, Others = 0; ///< lines
};

} // namespace kesco

#endif
