#include "runtime/watch/nvtx.h"

#include <inttypes.h>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

static nvtxDomainHandle_t domain; /* NULL: no tool made one */
static pthread_once_t domain_once = PTHREAD_ONCE_INIT;

static void make_domain(void) {
    domain = nvtxDomainCreateA("KeSCo");
}

bool kesco_nvtx_is_attached(void) {
    pthread_once(&domain_once, make_domain);
    return domain != NULL;
}

void kesco_nvtx_push(const char *name) {
    const nvtxEventAttributes_t range = {.version = NVTX_VERSION,
                                         .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                         .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                         .message.ascii = name};

    nvtxDomainRangePushEx(domain, &range);
}

void kesco_nvtx_pop(void) {
    nvtxDomainRangePop(domain);
}

void kesco_nvtx_name_stream(cudaStream_t stream, uint32_t lane) {
    char name[32];

    snprintf(name, sizeof name, "kesco lane %" PRIu32, lane);
    nvtxNameCudaStreamA(stream, name);
}
