/*
 * The runtime (runtime/CMakeLists.txt), optimised, as assembly inside the plugin, made by
 * make_runtime_assembly.cpp, which says what is in it.
 */
#ifndef KESCO_PLUGIN_CODE_RUNTIME_ASSEMBLY_H
#define KESCO_PLUGIN_CODE_RUNTIME_ASSEMBLY_H

extern const char kesco_runtime_assembly[];
extern const char kesco_runtime_assembly_end[]; /* past its last byte */

#endif
