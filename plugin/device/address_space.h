/* Address spaces of device code (LLVM's NVPTX Usage, "Address Spaces"). */
#ifndef KESCO_PLUGIN_DEVICE_ADDRESS_SPACE_H
#define KESCO_PLUGIN_DEVICE_ADDRESS_SPACE_H

enum kesco_address_space {
    KESCO_SPACE_GENERIC = 0,
    KESCO_SPACE_GLOBAL = 1,
    KESCO_SPACE_SHARED = 3,
    KESCO_SPACE_CONSTANT = 4,
    KESCO_SPACE_LOCAL = 5,
    KESCO_SPACE_CLUSTER = 7,
};

#endif
