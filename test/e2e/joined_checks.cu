// Checks that come together with others: a question for the launch's error before each wait, a flag that later passes keep,
// one that the loop's condition looks at beside its bound. They overlap, and the program comes to what it would serially.
// What counts errors by what they are, in a container, or marks the pass that has one, waits each time.
// RUN: rm -rf %t && mkdir %t
// RUN: for o in 0 1 3; do \
// RUN:   %vgpu -O$o %s -o %t/serial && %vgpu-kesco -O$o %s -o %t/kesco || exit 1; \
// RUN:   for way in 0 1 2 3 4 5 6 7 8 9 10; do \
// RUN:     sh %compare 3 %t/serial %t/kesco $way -1 || exit 1; \
// RUN:     case $o$way in 0*|?[789]) chain=12;; *) chain=1;; esac; \
// RUN:     KESCO_MODE=lanes VGPU_STATS=%t/stats.json %t/kesco $way -1 >/dev/null && \
// RUN:       grep "\"ordered_chain\": $chain," %t/stats.json || { echo $o $way; exit 1; }; \
// RUN:     for pass in 0 5 11; do for mode in serial lanes turns auto; do \
// RUN:       test $mode = serial && program=serial || program=kesco; \
// RUN:       KESCO_MODE=$mode VGPU_SEED=0 VGPU_CHECK=races %t/$program $way $pass >%t/$program.out 2>/dev/null; \
// RUN:       echo "status $?" >>%t/$program.out; \
// RUN:       test $mode = serial || cmp %t/serial.out %t/kesco.out || { echo $o $way $pass $mode; exit 1; }; \
// RUN:     done; done; \
// RUN:   done || exit 1; \
// RUN: done

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

enum { N = 64, COUNT = 12 };

static __global__ void mix(int *out, long distance) { out[threadIdx.x + distance] = out[threadIdx.x] * 3 + 1; }

#define LAUNCH(i) mix<<<1, N>>>(p[i], (i) == failing ? 1l << 40 : 0)
#define APART __attribute__((noinline))

template <typename T> static void check(T error, const char *call, const char *file, int line) {
    if (error) {
        fprintf(stderr, "%s:%d: %s fails with %d\n", file, line, call, static_cast<int>(error));
        exit(3);
    }
}

static inline void ask(const char *what, const char *file, int line) {
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) {
        fprintf(stderr, "%s:%d: %s: %s\n", file, line, what, cudaGetErrorString(error));
        exit(3);
    }
}

#define CHECK(call) check((call), #call, __FILE__, __LINE__)

APART int asks_first(int **p, int failing) {
    for (int i = 0; i < COUNT; i++) {
        LAUNCH(i);
        ask("mix", __FILE__, __LINE__);
        CHECK(cudaDeviceSynchronize());
    }
    return 0;
}

APART int ends_with_words(int **p, int failing) {
    for (int i = 0; i < COUNT; i++) {
        LAUNCH(i);
        cudaError_t error = cudaGetLastError();
        if (error) {
            fprintf(stderr, "launch\n");
            exit(3);
        }
        error = cudaDeviceSynchronize();
        if (error) {
            fprintf(stderr, "sync %d %s\n", error, cudaGetErrorString(error));
            exit(3);
        }
    }
    return 0;
}

APART int keeps_flag(int **p, int failing) {
    bool fine = true;
    for (int i = 0; i < COUNT; i++) {
        LAUNCH(i);
        if (cudaDeviceSynchronize())
            fine = false;
    }
    return fine;
}

APART int flag_in_condition(int **p, int failing) {
    bool fine = true;
    for (int i = 0; i < COUNT && fine; i++) {
        LAUNCH(i);
        fine = cudaDeviceSynchronize() == cudaSuccess;
    }
    return fine;
}

APART int error_in_condition(int **p, int failing) {
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < COUNT && error == cudaSuccess; i++) {
        LAUNCH(i);
        error = cudaDeviceSynchronize();
    }
    return error;
}

APART int flag_first(int **p, int failing) {
    bool fine = true;
    int i = 0;
    while (fine && i < COUNT) {
        LAUNCH(i);
        fine = !cudaDeviceSynchronize();
        i++;
    }
    return fine;
}

APART int leaves_by_flag(int **p, int failing) {
    bool fine = true;
    for (int i = 0; i < COUNT; i++) {
        LAUNCH(i);
        fine = cudaDeviceSynchronize() == cudaSuccess;
        if (!fine)
            break;
    }
    return fine;
}

APART int counts_by_error(int **p, int failing) {
    std::map<int, int> counts;
    for (int i = 0; i < COUNT; i++) {
        LAUNCH(i);
        counts[cudaDeviceSynchronize()]++;
    }
    for (const auto &[error, count] : counts)
        printf("%d: %d\n", error, count);
    return static_cast<int>(counts.size());
}

static int last, changes;

APART void note(const cudaError_t &error) {
    changes += error != last;
    last = error;
}

APART int hands_reference(int **p, int failing) {
    for (int i = 0; i < COUNT; i++) {
        LAUNCH(i);
        const cudaError_t error = cudaDeviceSynchronize();
        note(error);
        if (error)
            changes += 10;
    }
    return changes;
}

// Which element is marked says which pass has failed.
APART int marks_element(int **p, int failing) {
    char *marks = strdup("............");
    for (int i = 0; i < COUNT; i++) {
        LAUNCH(i);
        marks[i] = cudaDeviceSynchronize() ? 'x' : 'o';
        if (marks[i] == 'x')
            break;
    }
    puts(marks);
    free(marks);
    return 0;
}

// Memory that is given back by who owned it last, which is found out by atomics, behind a loop that could make no pass.
APART int owned(int **, int failing) {
    std::vector<std::shared_ptr<int>> p;
    for (int i = 0; i < COUNT; i++) {
        int *buffer, zeros[N] = {};
        CHECK(cudaMalloc(&buffer, sizeof zeros));
        CHECK(cudaMemcpy(buffer, zeros, sizeof zeros, cudaMemcpyHostToDevice));
        p.push_back(std::shared_ptr<int>(buffer, [](int *last) { cudaFree(last); }));
    }
    int i = 0, sum = 0;
    for (const auto &each : p) {
        mix<<<1, N>>>(each.get(), i++ == failing ? 1l << 40 : 0);
        CHECK(cudaDeviceSynchronize());
    }
    for (const auto &each : p) {
        int first;
        CHECK(cudaMemcpy(&first, each.get(), sizeof first, cudaMemcpyDeviceToHost));
        sum += first;
    }
    return sum;
}

int main(int, char **arguments) {
    static int (*const ways[])(int **, int) = {asks_first,         ends_with_words, keeps_flag,
                                               flag_in_condition,  error_in_condition, flag_first,
                                               leaves_by_flag,     counts_by_error, hands_reference,
                                               marks_element,      owned};
    const int way = atoi(arguments[1]), failing = atoi(arguments[2]);
    int *p[COUNT], host[N];
    for (int i = 0; i < COUNT; i++) {
        for (int j = 0; j < N; j++)
            host[j] = i * 5 + j;
        cudaMalloc(&p[i], sizeof host);
        cudaMemcpy(p[i], host, sizeof host, cudaMemcpyHostToDevice);
    }
    printf("%d\n", ways[way](p, failing));
    for (int i = 0; i < COUNT; i++) {
        if (cudaMemcpy(host, p[i], sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) {
            puts("no data");
            return 4;
        }
        printf("%d\n", host[i]);
    }
    return 0;
}
