/*
 * The runtime (runtime/CMakeLists.txt), optimised, as LLVM bitcode inside the plugin. All of its names but
 * those of the ABI are local to it.
 */
#ifndef KESCO_PLUGIN_HOST_RUNTIME_BITCODE_H
#define KESCO_PLUGIN_HOST_RUNTIME_BITCODE_H

extern const char kesco_runtime_bitcode[];
extern const char kesco_runtime_bitcode_end[]; /* behind its last byte */

#endif
