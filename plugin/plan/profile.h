//===- profile.h - how long ops took in a run ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file that a run of the program wrote for KESCO_PROFILE=FILE (runtime/watch/profile_format.h). It tells
// the scheduler the costs of ops, for the policy critical-path, and which regions lanes cannot make faster.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_PLAN_PROFILE_H
#define KESCO_PLUGIN_PLAN_PROFILE_H

#include "plugin/region/regions.h"

#include "llvm/Support/Error.h"

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace kesco {

class Profile {
  public:
    /// Knows no times.
    Profile() = default;

    /// Reads the file \p Path. Fails with one line that names the file and what is wrong in it.
    static llvm::Expected<Profile> read(llvm::StringRef Path);

    /// The mean time in microseconds of \p O, an op of \p Named.
    std::optional<double> timeOf(const llvm::Function &Named, const Op &O) const;

    /// Notes the costs of the ops of \p R, a region of \p Named: 1 where no time is known.
    void tell(Region &R, const llvm::Function &Named) const;

    /// The functions whose ops it has.
    std::vector<std::string> functions() const;

  private:
    /// Function, file, line, line of the call, kind, name. The file is without folders: other builds of the
    /// program may compile it from elsewhere.
    using Key = std::tuple<std::string, std::string, unsigned, unsigned, std::string, std::string>;

    std::map<Key, double> Times;
};

} // namespace kesco

#endif
