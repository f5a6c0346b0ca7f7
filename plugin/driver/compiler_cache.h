/*
 * Whether the compiler is run by ccache, which takes what it has instead of a compilation where nothing that
 * it knows of has changed. It does not know of files that a plugin reads and writes.
 */
#ifndef KESCO_PLUGIN_DRIVER_COMPILER_CACHE_H
#define KESCO_PLUGIN_DRIVER_COMPILER_CACHE_H

#include <stdbool.h>

/* True if a process that this one descends from, closely, is ccache. False where that is not to be found out.
 */
bool kesco_runs_under_ccache(void);

/* True if ccache has been told, by CCACHE_EXTRAFILES, that this file is an input. */
bool kesco_ccache_compares(const char *path);

/* True if ccache has been told, by CCACHE_RECACHE, to compile in any case. */
bool kesco_ccache_compiles_always(void);

#endif
