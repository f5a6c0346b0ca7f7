// Loops of a few short kernels, which seem longer than they are, and that end in waits of other kinds: for an event, or by asking
// until all is done. Lanes would cost more than they save. Where kernels are long, lanes or graphs come, and graphs where nobody waits.
// RUN: %vgpu -O2 %s -Dis_other -c -o %t.0.o && %vgpu -O2 %s %t.0.o -o %t.serial
// RUN: %vgpu-kesco -O2 %s -Dis_other -c -o %t.1.o && %vgpu-kesco -O2 %s %t.1.o -o %t.kesco
// RUN: for mode in auto turns graph lanes; do for end in event older device query record there; do KESCO_MODE=$mode sh %compare 2 %t.serial %t.kesco $end 25 1 || exit 1; done; done
// RUN: for how in "event 50 1" "event 300 1" "device 50 1" "query 50 1" "query 300 1" "event 100 2000" "query 100 2000" "record 150 1" "there 150 1"; do \
// RUN:   VGPU_TIME=1 VGPU_STATS=%t.0.json %t.serial $how >%t.expected || exit 1; \
// RUN:   KESCO_MODE=auto VGPU_TIME=1 VGPU_STATS=%t.1.json %t.kesco $how | diff %t.expected - || exit 1; \
// RUN:   echo $how `sed -n 's/.*"virtual_time_us": \([0-9.]*\),/\1/p' %t.0.json %t.1.json`; \
// RUN: done | tee %t.times | awk '{ bad += $5 > ($3 > 1 ? 0.85 : $1 == "record" || $1 == "there" ? 0.9 : 1.02) * $4 } END { exit bad > 0 || NR < 9 }'

#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { COUNT = 256, ARRAYS = 2 };

static __global__ void walk(float *value, const int *rounds) {
    float now = value[threadIdx.x];
    for (int i = 0; i < rounds[0]; i++)
        for (int j = 0; j < rounds[1]; j++)
            now = now * 0.5f + 1;
    value[threadIdx.x] = now;
}

void walk_all(float *const *v, const int *rounds, cudaStream_t stream);

#ifdef is_other
void walk_all(float *const *v, const int *rounds, cudaStream_t stream) {
    for (int k = 0; k < 4; k++)
        walk<<<1, COUNT, 0, stream>>>(v[k % 2], rounds);
}
#else
static void with_queries(float *const *v, const int *rounds, int passes, cudaStream_t stream) {
    for (int i = 0; i < passes; i++) {
        walk<<<1, COUNT, 0, stream>>>(v[0], rounds);
        walk<<<1, COUNT, 0, stream>>>(v[1], rounds);
        while (cudaStreamQuery(stream) == cudaErrorNotReady)
            ;
    }
}

static void with_events(float *const *v, const int *rounds, int passes, cudaStream_t stream, const char *end) {
    cudaEvent_t done[2];
    cudaEventCreate(&done[0]);
    cudaEventCreate(&done[1]);
    for (int i = 0; i < passes; i++) {
        walk<<<1, COUNT, 0, stream>>>(v[0], rounds);
        walk<<<1, COUNT, 0, stream>>>(v[1], rounds);
        cudaEventRecord(done[i % 2], stream);
        if (strcmp(end, "device") == 0)
            cudaDeviceSynchronize();
        else
            cudaEventSynchronize(done[(i + (strcmp(end, "older") == 0)) % 2]);
    }
}

// The host waits for none of the events, so that launches are what takes the time.
static void with_records(float *const *v, const int *rounds, int passes, cudaStream_t stream) {
    cudaEvent_t done;
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    for (int i = 0; i < passes; i++) {
        walk<<<1, COUNT, 0, stream>>>(v[0], rounds);
        walk<<<1, COUNT, 0, stream>>>(v[1], rounds);
        walk_all(v, rounds, stream);
        walk<<<1, COUNT, 0, stream>>>(v[0], rounds);
        cudaEventRecord(done, stream);
    }
}

// The same on the legacy default stream.
static void with_records_there(float *const *v, const int *rounds, int passes) {
    cudaEvent_t done;
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    for (int i = 0; i < passes; i++) {
        walk<<<1, COUNT>>>(v[0], rounds);
        walk<<<1, COUNT>>>(v[1], rounds);
        walk_all(v, rounds, nullptr);
        walk<<<1, COUNT>>>(v[0], rounds);
        cudaEventRecord(done);
    }
}

int main(int argc, char **argv) {
    const char *end = argv[1];
    const int passes = atoi(argv[2]), counts[] = {atoi(argv[3]), 1};
    float *v[ARRAYS], host[COUNT], sum = 0;
    int *rounds;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMalloc(&rounds, sizeof counts);
    cudaMemcpy(rounds, counts, sizeof counts, cudaMemcpyHostToDevice);
    for (float *&array : v) {
        cudaMalloc(&array, sizeof host);
        cudaMemset(array, 0, sizeof host);
    }
    if (strcmp(end, "query") == 0)
        with_queries(v, rounds, passes, stream);
    else if (strcmp(end, "record") == 0)
        with_records(v, rounds, passes, stream);
    else if (strcmp(end, "there") == 0)
        with_records_there(v, rounds, passes);
    else
        with_events(v, rounds, passes, stream, end);
    cudaDeviceSynchronize();
    for (const float *array : v) {
        cudaMemcpy(host, array, sizeof host, cudaMemcpyDeviceToHost);
        for (float value : host)
            sum += value;
    }
    return printf("%d %g\n", argc, sum) < 0;
}
#endif
