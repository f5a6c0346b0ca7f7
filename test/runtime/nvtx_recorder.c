/*
 * A tool for NVTX (NVTX_INJECTION64_PATH) that writes what it is told, one call a line, to the file
 * NVTX_RECORDER_FILE.
 */
#include <cuda_runtime_api.h>
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *file;

static nvtxDomainHandle_t create_domain(const char *name) {
    static int domain;

    fprintf(file, "domain %s\n", name);
    return (nvtxDomainHandle_t)&domain;
}

static int push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *range) {
    fprintf(file, "push %s%s\n", range->message.ascii, domain == NULL ? " in no domain" : "");
    return 0;
}

static int pop(nvtxDomainHandle_t domain) {
    fprintf(file, "pop%s\n", domain == NULL ? " in no domain" : "");
    return 0;
}

static void name_stream(cudaStream_t stream, const char *name) {
    fprintf(file, "%s is stream %s\n", name, stream == NULL ? "NULL" : "of its own");
}

/* Functions of any type are set through this one, as NVTX means it. */
#define SET(callbacks, module, id, function)                                                                 \
    do {                                                                                                     \
        NvtxFunctionTable table;                                                                             \
        unsigned size;                                                                                       \
        if ((callbacks)->GetModuleFunctionTable(module, &table, &size) && (id) < (int)size)                  \
            *table[id] = (NvtxFunctionPointer)(function);                                                    \
    } while (0)

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table);
int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table) {
    const char *path = getenv("NVTX_RECORDER_FILE");
    const NvtxExportTableCallbacks *callbacks = get_table(NVTX_ETID_CALLBACKS);

    file = path == NULL ? NULL : fopen(path, "w");
    if (file == NULL || callbacks == NULL)
        return 0;
    SET(callbacks, NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainCreateA, create_domain);
    SET(callbacks, NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainRangePushEx, push);
    SET(callbacks, NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainRangePop, pop);
    SET(callbacks, NVTX_CB_MODULE_CUDART, NVTX_CBID_CUDART_NameCudaStreamA, name_stream);
    return 1;
}
