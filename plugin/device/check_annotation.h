//===- check_annotation.h - what the programmer says against what is so -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_DEVICE_CHECK_ANNOTATION_H
#define KESCO_PLUGIN_DEVICE_CHECK_ANNOTATION_H

#include "plugin/device/summarise.h"
#include "plugin/frontend/source_facts.h"

namespace clang {
class DiagnosticsEngine;
} // namespace clang

namespace kesco {

/// Reports an error for each parameter that the kernel writes, by \p Writes, though its annotation says that
/// it only reads it; with a note at the write. (What an annotation claims beyond what the kernel does, the
/// host compile tells, which knows all architectures.)
void checkAnnotation(const KernelFacts &Kernel, const WritePlaces &Writes, clang::DiagnosticsEngine &Diags);

} // namespace kesco

#endif
