/* API functions: execution control and occupancy. */
#include "test/vgpu/api.h"
#include "test/vgpu/engine.h"
#include "test/vgpu/hardware.h"
#include "test/vgpu/launch.h"
#include "test/vgpu/module.h"
#include "test/vgpu/properties.h"
#include "test/vgpu/register.h"
#include "test/vgpu/settings.h"

enum { CONFIGURATION_LIMIT = 64, REGISTERS = 32 };

/* What <<<>>> says, on its way from the launch to the stub. */
struct configuration {
    dim3 grid, block;
    size_t dynamic_shared;
    cudaStream_t stream;
    struct site site; /* where the <<<>>> is */
};

/* Nested, as a launch's arguments may launch. */
static _Thread_local struct configuration configurations[CONFIGURATION_LIMIT];
static _Thread_local size_t configuration_count;
static _Thread_local struct site popped_site; /* of the launch that is about to come */
static _Thread_local bool site_is_popped;

VGPU_EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic_shared,
                                                 cudaStream_t stream) {
    if (configuration_count == CONFIGURATION_LIMIT)
        vgpu_unmodelled("<<<>>>", "launches inside launches' arguments, 64 deep");
    struct configuration *top = &configurations[configuration_count++];
    top->grid = grid;
    top->block = block;
    top->dynamic_shared = dynamic_shared;
    top->stream = stream;
    if (settings.check_races)
        top->site = site_here();
    return 0;
}

VGPU_EXPORT cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *dynamic_shared,
                                                   void *stream) {
    if (!configuration_count)
        return cudaErrorMissingConfiguration;
    const struct configuration *top = &configurations[--configuration_count];
    *grid = top->grid;
    *block = top->block;
    *dynamic_shared = top->dynamic_shared;
    *(cudaStream_t *)stream = top->stream;
    site_is_popped = settings.check_races;
    if (site_is_popped)
        popped_site = top->site;
    return cudaSuccess;
}

static cudaError_t launch(const struct launch_request *request, cudaStream_t stream) {
    if (site_is_popped)
        thread_state.site = popped_site;
    site_is_popped = false;
    return launch_issue(request, stream);
}

static cudaError_t launch_plain(const void *function, dim3 grid, dim3 block, void **args,
                                size_t dynamic_shared, bool cooperative, cudaStream_t stream) {
    const struct launch_request request = {function, grid, block, dynamic_shared, args, cooperative};
    return launch(&request, stream);
}

/* Other attributes that change what a launch means are not modelled. Whether it is cooperative. */
static bool check_attributes(const cudaLaunchConfig_t *config) {
    bool cooperative = false;
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *attribute = &config->attrs[i];
        switch (attribute->id) {
        case cudaLaunchAttributeIgnore:
        case cudaLaunchAttributeAccessPolicyWindow:
        case cudaLaunchAttributePriority:
        case cudaLaunchAttributePreferredSharedMemoryCarveout:
        case cudaLaunchAttributeProgrammaticStreamSerialization: /* allows what it does not ask for */
        case cudaLaunchAttributeMemSyncDomain:
            break;
        case cudaLaunchAttributeCooperative:
            cooperative = attribute->val.cooperative != 0;
            break;
        case cudaLaunchAttributeClusterDimension:
            if (attribute->val.clusterDim.x * attribute->val.clusterDim.y * attribute->val.clusterDim.z > 1)
                vgpu_unmodelled("cudaLaunchKernelExC", "clusters of several blocks");
            break;
        default:
            vgpu_unmodelled("cudaLaunchKernelExC", "a launch attribute that changes how the kernel runs");
        }
    }
    return cooperative;
}

static cudaError_t launch_ex(const cudaLaunchConfig_t *config, const void *function, void **args,
                             bool per_thread) {
    if (!config || (config->numAttrs && !config->attrs))
        return cudaErrorInvalidValue;
    const bool cooperative = check_attributes(config);
    const cudaStream_t stream = per_thread && !config->stream ? cudaStreamPerThread : config->stream;
    return launch_plain(function, config->gridDim, config->blockDim, args, config->dynamicSmemBytes,
                        cooperative, stream);
}

static cudaError_t find(const void *host, struct function **function) {
    *function = module_find_function(host);
    return *function && (*function)->kernel ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

static cudaError_t get_attributes(struct cudaFuncAttributes *attributes, const void *host) {
    struct function *function;
    const cudaError_t error = attributes ? find(host, &function) : cudaErrorInvalidValue;
    if (error)
        return error;
    *attributes = (struct cudaFuncAttributes){
        .sharedSizeBytes = function->kernel->static_shared,
        .maxThreadsPerBlock = properties()->maxThreadsPerBlock,
        .numRegs = REGISTERS,
        .ptxVersion = hardware->processors.capability,
        .binaryVersion = hardware->processors.capability,
        .maxDynamicSharedSizeBytes = function->dynamic_shared_limit,
        .preferredShmemCarveout = -1,
    };
    return cudaSuccess;
}

static cudaError_t set_attribute(const void *host, enum cudaFuncAttribute attribute, int value) {
    struct function *function;
    const cudaError_t error = find(host, &function);
    if (error)
        return error;
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 ||
            (size_t)value + function->kernel->static_shared > properties()->sharedMemPerBlockOptin)
            return cudaErrorInvalidValue;
        function->dynamic_shared_limit = value;
        return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        return value < -1 || value > 100 ? cudaErrorInvalidValue : cudaSuccess;
    case cudaFuncAttributeClusterDimMustBeSet:
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
        vgpu_unmodelled("cudaFuncSetAttribute", "clusters");
    default:
        return cudaErrorInvalidValue;
    }
}

static cudaError_t set_cache_config(const void *host, enum cudaFuncCache config) {
    struct function *function;
    if ((unsigned)config > cudaFuncCachePreferEqual)
        return cudaErrorInvalidValue;
    return find(host, &function);
}

/* As cudaDeviceSetSharedMemConfig: without effect where banks have one size. */
static cudaError_t set_bank_size(const void *host, enum cudaSharedMemConfig size) {
    struct function *function;
    if ((unsigned)size > cudaSharedMemBankSizeEightByte)
        return cudaErrorInvalidValue;
    return find(host, &function);
}

static cudaError_t get_name(const char **name, const void *host) {
    struct function *function;
    const cudaError_t error = name ? find(host, &function) : cudaErrorInvalidValue;
    if (!error)
        *name = function->name;
    return error;
}

static cudaError_t occupancy(int *blocks, const void *host, int block_size, size_t dynamic_shared,
                             unsigned flags) {
    struct function *function;
    if (!blocks || block_size <= 0 || flags & ~(unsigned)cudaOccupancyDisableCachingOverride)
        return cudaErrorInvalidValue;
    const cudaError_t error = find(host, &function);
    if (error)
        return error;
    const size_t shared = dynamic_shared + function->kernel->static_shared;
    const bool fits =
        block_size <= properties()->maxThreadsPerBlock && shared <= properties()->sharedMemPerBlockOptin;
    *blocks = fits ? properties_blocks_per_multiprocessor(block_size, shared) : 0;
    return cudaSuccess;
}

static cudaError_t available_shared(size_t *bytes, const void *host, int blocks, int block_size) {
    const struct cudaDeviceProp *device = properties();
    struct function *function;
    if (!bytes || blocks <= 0 || block_size <= 0 || block_size > device->maxThreadsPerBlock)
        return cudaErrorInvalidValue;
    const cudaError_t error = find(host, &function);
    if (error)
        return error;
    const size_t taken = device->reservedSharedMemPerBlock + function->kernel->static_shared;
    size_t each = device->sharedMemPerMultiprocessor / (size_t)blocks;
    each = each > taken ? each - taken : 0;
    const size_t most = device->sharedMemPerBlockOptin - function->kernel->static_shared;
    *bytes = each < most ? each : most;
    return cudaSuccess;
}

API_ON_STREAM(cudaLaunchKernel,
              (const void *function, dim3 grid, dim3 block, void **args, size_t dynamic_shared,
               cudaStream_t stream),
              launch_plain(function, grid, block, args, dynamic_shared, false, stream))
API_ON_STREAM(cudaLaunchCooperativeKernel,
              (const void *function, dim3 grid, dim3 block, void **args, size_t dynamic_shared,
               cudaStream_t stream),
              launch_plain(function, grid, block, args, dynamic_shared, true, stream))
API(cudaLaunchKernelExC, (const cudaLaunchConfig_t *config, const void *function, void **args),
    launch_ex(config, function, args, false))

VGPU_EXPORT cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *function,
                                                 void **args);
VGPU_EXPORT cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *function,
                                                 void **args){
    API_BODY(cudaLaunchKernelExC, launch_ex(config, function, args, true))}

API(cudaFuncGetAttributes, (struct cudaFuncAttributes * attributes, const void *function),
    get_attributes(attributes, function))
    API(cudaFuncSetAttribute, (const void *function, enum cudaFuncAttribute attribute, int value),
        set_attribute(function, attribute, value))
        API(cudaFuncSetCacheConfig, (const void *function, enum cudaFuncCache config),
            set_cache_config(function, config))
            API(cudaFuncSetSharedMemConfig, (const void *function, enum cudaSharedMemConfig size),
                set_bank_size(function, size))
                API(cudaFuncGetName, (const char **name, const void *function), get_name(name, function))
                    API(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
                        (int *blocks, const void *function, int block_size, size_t dynamic_shared),
                        occupancy(blocks, function, block_size, dynamic_shared, cudaOccupancyDefault))
                        API(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
                            (int *blocks, const void *function, int block_size, size_t dynamic_shared,
                             unsigned flags),
                            occupancy(blocks, function, block_size, dynamic_shared, flags))
                            API(cudaOccupancyAvailableDynamicSMemPerBlock,
                                (size_t *bytes, const void *function, int blocks, int block_size),
                                available_shared(bytes, function, blocks, block_size))
