/* Where vgpu-clang++ finds what it runs and links: from where it is itself, so that its folder may be moved.
 */
#ifndef KESCO_TEST_VGPU_DRIVER_PLACES_H
#define KESCO_TEST_VGPU_DRIVER_PLACES_H

struct places {
    char *parts;         /* the folder of libvgpu.so, vgpu-device and vgpu-host.so, with a slash */
    char *runtime;       /* libkesco_rt.a, or a null pointer where that is not installed */
    const char *include; /* the folder of kesco.h, or a null pointer where that is not installed */
    char *clang;         /* clang++ of the version that vgpu-host.so was built for */
};

/* Returns 0, or 1 after a message about what is missing. The strings are never freed. */
int places_find(struct places *places);

#endif
