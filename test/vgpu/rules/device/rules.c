/*
 * What rules.c is for the virtual GPU, for any device: which of its rules hold there. Every rule is run once,
 * and goes on behind what does not hold, to tell of all that does not.
 *
 *   PROGRAM --device          tells of the device
 *   PROGRAM --list            a line for each rule: its name, or "skipped", its name and why
 *   PROGRAM --check NAME      runs the rule in a process of its own; prints "NAME ok|FAILED STATUS", and what
 *                             that printed
 *   PROGRAM NAME              runs the rule
 */
#define _GNU_SOURCE
#include "test/vgpu/rules/rules.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, OUTPUT_LIMIT = 1 << 16, SECONDS_MOST = 10, PAGES_MOST = 16 };

/* On a page of its own, as pages are what is mapped. */
static _Alignas(PAGE) char journal_page[PAGE];
extern struct journal journal __attribute__((alias("journal_page")));
const char missing_stub;
static int failed;

/* What host code that vgpu-clang++ compiled asks; without it, there is nobody to tell. */
__attribute__((weak)) bool vgpu_host_recording;
__attribute__((weak)) void vgpu_host_access(const void *memory, uint64_t size, uint32_t kind) {
    (void)memory, (void)size, (void)kind;
}

/* Without a reset, which shows in the last error and in none else. */
void require(bool condition, const char *text, const char *file, int line) {
    if (condition)
        return;
    const char *const name = strrchr(file, '/');
    printf("%s:%d: %s does not hold; the last error is %s\n", name ? name + 1 : file, line, text,
           cudaGetErrorName(cudaPeekAtLastError()));
    fflush(NULL);
    failed = RULE_FAILED;
}

_Noreturn void end_either_way(bool first) {
    fflush(NULL);
    _exit(failed ? failed : first ? 0 : RULE_OTHER);
}

/* Kernels write to the journal where it is. */
static void map_journal(void) {
    const cudaError_t error = cudaHostRegister(&journal, PAGE, cudaHostRegisterMapped);
    if (error)
        printf("the journal is not mapped: %s\n", cudaGetErrorName(error));
}

cudaError_t __real_cudaDeviceReset(void);
cudaError_t __wrap_cudaDeviceReset(void);

cudaError_t __wrap_cudaDeviceReset(void) {
    const cudaError_t error = __real_cudaDeviceReset();
    if (!error)
        map_journal();
    return error;
}

/* A result may be any of the host's variables. */
void reach(const void *memory) {
    static uintptr_t mapped[PAGES_MOST];
    static int count;
    const uintptr_t page = (uintptr_t)memory & ~(uintptr_t)(PAGE - 1);
    int pageable = 0;
    for (int i = 0; i < count; i++) {
        if (mapped[i] == page)
            return;
    }
    OK(cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, 0));
    if (pageable || count == PAGES_MOST)
        return;
    mapped[count++] = page;
    OK(cudaHostRegister((void *)page, PAGE, cudaHostRegisterMapped));
}

cudaError_t launch(const void *stub, void **args, cudaStream_t stream) {
    const dim3 one = {1, 1, 1};
    return cudaLaunchKernel(stub, one, one, args, 0, stream);
}

/* Which rules */

/* Why the rule is about the virtual GPU alone, or NULL. */
static const char *reason(const struct rule *rule) {
    const char *const environment = rule->environment ? rule->environment : "";
    if (rule->alone)
        return rule->alone;
    if (rule->summaries)
        return "access summaries";
    if (rule->status)
        return "a status of the virtual GPU's";
    if (strcmp(environment, "VGPU_CHECK=races") == 0)
        return rule->prints ? "a finding of the virtual GPU's" : NULL;
    return *environment && strcmp(environment, "VGPU_TIME=1") != 0 ? environment : NULL;
}

static void list(const struct rule *rules, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const char *why = reason(&rules[i]);
        for (size_t j = 0; j < i; j++) {
            if (strcmp(rules[j].name, rules[i].name) == 0)
                why = "its name is had";
        }
        if (why)
            printf("skipped %s %s\n", rules[i].name, why);
        else
            printf("%s\n", rules[i].name);
    }
}

/* Running them */

static int run_child(const char *program, const struct rule *rule, char *output) {
    int ends[2], status;
    size_t length = 0;
    ssize_t got;
    if (pipe(ends))
        return 127;
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        alarm(SECONDS_MOST);
        if (rule->environment && strcmp(rule->environment, "VGPU_TIME=1") == 0)
            setenv("VGPU_TIME", "1", 1); /* where the device is the virtual GPU */
        execl("/proc/self/exe", program, rule->name, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    while ((got = read(ends[0], output + length, OUTPUT_LIMIT - 1 - length)) > 0)
        length += (size_t)got;
    output[length] = '\0';
    close(ends[0]);
    if (waitpid(child, &status, 0) != child)
        return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int check(const char *program, const struct rule *rule) {
    static char output[OUTPUT_LIMIT];
    const int status = run_child(program, rule, output);
    const bool ok = status == 0 || (rule->kind == DIFFERS && status == RULE_OTHER);
    printf("%s %s %d\n%s", rule->name, ok ? "ok" : "FAILED", status, output);
    return !ok;
}

static int run(const struct rule *rule) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    map_journal();
    rule->run();
    fflush(NULL);
    return failed;
}

static int tell_device(void) {
    struct cudaDeviceProp device;
    int driver = 0, runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    const cudaError_t error = cudaGetDeviceProperties(&device, 0);
    if (error) {
        printf("no device: %s; driver %d, runtime %d\n", cudaGetErrorName(error), driver, runtime);
        return 1;
    }
    printf("%s, sm_%d%d, driver %d, runtime %d, concurrentManagedAccess %d, pageableMemoryAccess %d, "
           "canUseHostPointerForRegisteredMem %d, hostNativeAtomicSupported %d, asyncEngineCount %d\n",
           device.name, device.major, device.minor, driver, runtime, device.concurrentManagedAccess,
           device.pageableMemoryAccess, device.canUseHostPointerForRegisteredMem,
           device.hostNativeAtomicSupported, device.asyncEngineCount);
    return 0;
}

int rules_main(int argc, char **argv, const struct rule *rules, size_t count) {
    const bool checks = argc == 3 && strcmp(argv[1], "--check") == 0;
    setenv("CUDA_MODULE_LOADING", "EAGER", 0);
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        list(rules, count);
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "--device") == 0)
        return tell_device();
    for (size_t i = 0; argc >= 2 && i < count; i++) {
        if (strcmp(rules[i].name, argv[argc - 1]) == 0)
            return checks ? check(argv[0], &rules[i]) : run(&rules[i]);
    }
    fprintf(stderr, "usage: %s [--device | --list | [--check] RULE]\n", argv[0]);
    return 127;
}
