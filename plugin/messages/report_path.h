//===- report_path.h - where the plans of a unit go ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options report, dot and svg name a file, or for builds of many units a folder or a pattern:
//
//   plans.json         this file
//   plans/             a folder, made where it is missing; one that exists needs no slash. The same as
//                      plans/%s-%h.json
//   plans/%s-%h.json   %s: the source file's name, without folder and ending; %h: eight digits that differ
//                      from unit to unit; %%: a percent sign. Folders are made where they are missing
//
// %h is made of the absolute paths of the source file and of what the compilation writes, but for temporary
// files, so it is the same in each build.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_MESSAGES_REPORT_PATH_H
#define KESCO_PLUGIN_MESSAGES_REPORT_PATH_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace kesco {

/// The unit whose plans are written: its source file, and what the compilation writes, as the compiler was
/// given them.
struct UnitPaths {
    std::string Source;
    std::string Output;
    std::string Folder; ///< that the compiler ran in; empty where it is not to be known

    /// True if what is compiled is linked by the same command.
    bool isLinkedAtOnce() const;
};

/// True if both names lead to one file, whether it is there or not.
bool isSameFile(llvm::StringRef A, llvm::StringRef B);

/// True if \p Asked, of a pattern's form, gives each unit a file of its own.
bool isReportForEach(llvm::StringRef Asked);

/// The file that \p Asked names for \p Unit; \p Ending, as ".json", is for files in a folder. Makes the
/// folders of a folder or pattern, and fails where it cannot.
llvm::Expected<std::string> reportPath(llvm::StringRef Asked, llvm::StringRef Ending, const UnitPaths &Unit);

} // namespace kesco

#endif
