/*
 * Whether managed memory is moved ahead of its use.
 */
#ifndef KESCO_REGION_PREFETCH_OPTION_H
#define KESCO_REGION_PREFETCH_OPTION_H

enum kesco_prefetching {
    KESCO_PREFETCH_OFF,
    KESCO_PREFETCH_AUTO, /* to the device, in regions that the runtime has anyway, as far as the run finds
                            that it pays */
    KESCO_PREFETCH_ON,   /* wherever it can be */
};

#endif
