//===- asked.h - the options of a compilation ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_DRIVER_ASKED_H
#define KESCO_PLUGIN_DRIVER_ASKED_H

#include "plugin/options.h"

#include "llvm/Support/Error.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace kesco {

/// Options and the texts that they point into.
struct Options : kesco_options {
    Options() : kesco_options(kesco_options_default()) {
    }

    /// Reads \p Given, each "NAME" or "NAME=VALUE". Fails with one line that names the bad option or value
    /// and what is allowed.
    static llvm::Expected<Options> read(const std::vector<std::string> &Given) {
        Options Result;
        Result.Arguments = std::make_shared<const std::vector<std::string>>(Given);
        for (const std::string &Argument : *Result.Arguments) {
            char *Why;
            if (kesco_options_read(&Result, Argument.c_str(), &Why) != 0) {
                std::unique_ptr<char, decltype(&std::free)> Message(Why, std::free);
                return llvm::createStringError(llvm::Twine(Why ? Why : "no memory"));
            }
        }
        return Result;
    }

    bool wantsPlans() const {
        return kesco_options_want_plans(this);
    }

  private:
    std::shared_ptr<const std::vector<std::string>> Arguments;
};

} // namespace kesco

#endif
