/*
 * The objects of a link that have device code which is to be linked (-fgpu-rdc).
 */
#ifndef KESCO_TEST_VGPU_DRIVER_PACKED_OBJECTS_H
#define KESCO_TEST_VGPU_DRIVER_PACKED_OBJECTS_H

#include "test/vgpu/driver/command_line.h"

/* Those objects and archives, each once, behind "--link", as vgpu-device takes them; archives by -l, too,
 * where a -L has them. The caller frees the words. */
struct words packed_objects(const struct command_line *line);

#endif
