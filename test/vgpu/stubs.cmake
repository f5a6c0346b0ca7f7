# Writes OUTPUT: a weak definition of every function that LIBRARY (libcudart.so) exports, that ends the process
# with a message that names it. The engine's own definitions take their places where it has them.
#   cmake -DNM=... -DLIBRARY=... -DOUTPUT=... -P stubs.cmake
execute_process(COMMAND ${NM} -D --defined-only ${LIBRARY}
                OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " T [A-Za-z0-9_]+" matches "${symbols}")
# Not exported, but clang may call them.
list(APPEND matches " T __cudaRegisterTexture" " T __cudaRegisterSurface")
# The driver API's, which CUDASTF's headers call where something has failed, or memory is spread over devices.
foreach(name cuGetErrorName cuGetErrorString cuMemAddressFree cuMemAddressReserve cuMemCreate
             cuMemGetAllocationGranularity cuMemMap cuMemRelease cuMemSetAccess cuMemUnmap cuDeviceGetAttribute)
  list(APPEND matches " T ${name}")
endforeach()
set(text [[
#include "test/vgpu/device.h"

#define STUB(name)                                                                                           \
    __attribute__((weak, visibility("default"))) void name(void);                                            \
    void name(void) {                                                                                        \
        vgpu_unmodelled(#name, "");                                                                          \
    }

]])
foreach(match ${matches})
  string(SUBSTRING "${match}" 3 -1 name)
  string(APPEND text "STUB(${name})\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
