/*
 * What may become of the program's waits.
 */
#ifndef KESCO_REGION_WAIT_OPTIONS_H
#define KESCO_REGION_WAIT_OPTIONS_H

#include <stdbool.h>

/* Which calls that synchronise may be left out or put off. */
enum kesco_elision {
    KESCO_ELIDE_NONE,
    KESCO_ELIDE_UNCHECKED, /* those of whose errors the program does not look for */
    KESCO_ELIDE_ALL,
    KESCO_ELIDE_BY_LEVEL, /* all where the compiler optimises, else none: an option alone */
};

struct kesco_wait_options {
    enum kesco_elision elide;
    bool clocks_observe; /* the host waits before it reads a clock */
};

#endif
