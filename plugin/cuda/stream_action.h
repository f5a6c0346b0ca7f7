//===- stream_action.h - calls that act on the legacy default stream --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call that returns cudaSuccess and then has acted on the legacy default stream of the current device, or
// has let the host wait for that or for all of the device, orders all earlier work of blocking streams before
// all later work of them (CUDA Runtime API, "Stream synchronization behavior"). A region beside that stream
// needs no record of its own for what such a call right before it, or right after it, does anyway.
//
// Right before means: on every way there, with nothing in between that a region could not have within. The
// region is then the one that would have been opened before the call. Copies are left out: of no bytes, or of
// another device's memory, they may not act on this stream at all.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_CUDA_STREAM_ACTION_H
#define KESCO_PLUGIN_CUDA_STREAM_ACTION_H

namespace llvm {
class Function;
class Instruction;
} // namespace llvm

namespace kesco {

/// True for a call that acts on the legacy default stream if it returns cudaSuccess.
bool actsOnLegacyStream(const llvm::Instruction &I);

/// True for a function that is hardly more than such calls, or calls that wait for any other stream: it is
/// best seen in its callers.
bool wrapsAction(const llvm::Function &F);

/// True if \p F is small enough to be hardly more than a call.
bool isWrapperSized(const llvm::Function &F);

} // namespace kesco

#endif
