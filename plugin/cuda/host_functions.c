#define _GNU_SOURCE /* memmem */
#include "plugin/cuda/host_functions.h"

#include "plugin/words.h"

#include <stdbool.h>
#include <string.h>

/* C functions that LLVM has no name for, or had none before release 22, and the C++ runtime's. */
static const char plain[] =
    "_Exit _ZSt9terminatev __assert_fail __clang_call_terminate __cxa_allocate_exception __cxa_begin_catch "
    "__cxa_end_catch __cxa_free_exception __cxa_rethrow __cxa_throw __isoc23_sscanf __isoc23_strtol "
    "__isoc23_strtoll __isoc23_strtoul __isoc23_strtoull __isoc99_sscanf _exit abort ctime difftime div exit "
    "get_nprocs getcwd gethostname getopt getopt_long getopt_long_only getpagesize getpid isatty ldiv lldiv "
    "localeconv putenv pvalloc quick_exit reallocarray secure_getenv setenv setlocale strerror strtok "
    "strsignal sysconf uname unsetenv";

static const char computing[] =
    "clock clock_gettime drand48 erand48 fdim fdimf fdiml hypot hypotf hypotl ilogb ilogbf ilogbl jrand48 "
    "lrand48 "
    "mrand48 nan nanf nanl nrand48 rand_r "
    "nextafter nextafterf nextafterl nexttoward nexttowardf nexttowardl omp_get_wtime rand random scalbln "
    "scalblnf scalblnl scalbn scalbnf scalbnl sincos sincosf sincosl srand srand48 srandom tgamma tgammaf "
    "tgammal time";

static const char clocks[] = "clock clock_gettime gettimeofday omp_get_wtime time times";

static const char files[] = "chmod chown ftruncate lchown mkdir remove rename rmdir truncate unlink";

/* Of the functions that LLVM knows. */
static const char active[] =
    "__atomic_load __atomic_store __cxa_atexit __cxa_guard_abort __cxa_guard_acquire __cxa_guard_release "
    "atexit execl execle execlp execv execvP execve execvp execvpe flockfile fork ftrylockfile funlockfile "
    "pclose popen qsort read setitimer system write";

/* The C++ library, by how mangled names begin: streams, strings, containers, exceptions. */
static const char plain_families[] =
    "_ZNKSt13runtime_error _ZNKSt7__cxx1112basic_string _ZNKSt8__detail20_Prime_rehash_policy "
    "_ZNKSt9basic_ios _ZNKSt9exception _ZNSaI _ZNSo _ZNSt11logic_error _ZNSt11range_error "
    "_ZNSt12domain_error _ZNSt12length_error _ZNSt12out_of_range _ZNSt13runtime_error "
    "_ZNSt14overflow_error _ZNSt15underflow_error _ZNSt16invalid_argument _ZNSt6localeC1Ev _ZNSt6localeC2Ev "
    "_ZNSt6localeD1Ev _ZNSt6localeD2Ev _ZNSt7__cxx1112basic_string "
    "_ZNSt7__cxx1115basic_stringbuf _ZNSt7__cxx1118basic_stringstream _ZNSt7__cxx1119basic_ostringstream "
    "_ZNSt8__detail15_List_node_base _ZNSt8ios_base _ZNSt9basic_ios _ZNSt9exception _ZSt11_Hash_bytes "
    "_ZSt16__ostream_insert _ZSt18_Rb_tree_decrement _ZSt18_Rb_tree_increment "
    "_ZSt28_Rb_tree_rebalance_for_erase _ZSt29_Rb_tree_insert_and_rebalance _ZSt4endl _ZSt5flush _ZStlsI";

/* What sanitizers call where they have found undefined behaviour: it prints, and comes back or ends. */
static const char report_families[] = "__ubsan_handle_";

static const char clock_families[] = "_ZNSt6chrono";

static const char cuda_families[] = "cublas cuda cudnn cufft curand cusolver cusparse cutensor nccl npp nvtx";

static const char words[] = "__cxa_free_exception __fprintf_chk __printf_chk fflush fprintf fputc fputs free "
                            "fwrite perror printf putc "
                            "putchar puts strerror strlen vfprintf vprintf warn warnx";

static const char word_families[] = "_ZNKSt5ctype _Zda _Zdl";

static const char stream_families[] =
    "_ZNSo _ZNSt9basic_ios _ZSt16__ostream_insert _ZSt4endl _ZSt5flush _ZStls";

static const char new_memory[] = "_Znam _Znwm __cxa_allocate_exception calloc malloc";

static const struct {
    const char *names; /* with a blank between two */
    bool begin;        /* the functions' names only begin so */
    unsigned traits;
} lists[] = {
    {plain, false, KESCO_HOST_PLAIN},
    {computing, false, KESCO_HOST_PLAIN | KESCO_HOST_COMPUTES},
    {clocks, false, KESCO_HOST_CLOCK},
    {files, false, KESCO_HOST_FILES},
    {active, false, KESCO_HOST_ACTIVE},
    {words, false, KESCO_HOST_WORDS},
    {new_memory, false, KESCO_HOST_NEW},
    {plain_families, true, KESCO_HOST_PLAIN},
    {cuda_families, true, KESCO_HOST_CUDA},
    {report_families, true, KESCO_HOST_PLAIN},
    {word_families, true, KESCO_HOST_WORDS},
    {stream_families, true, KESCO_HOST_STREAM},
    {clock_families, true, KESCO_HOST_PLAIN | KESCO_HOST_COMPUTES | KESCO_HOST_CLOCK},
};

unsigned kesco_host_traits(const char *name, size_t length) {
    bool throws = length > 4 && memcmp(name, "_ZSt", 4) == 0 && memmem(name, length, "__throw_", 8);
    unsigned traits = throws ? KESCO_HOST_PLAIN | KESCO_HOST_THROWS : 0;
    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
        if (kesco_words_have(lists[i].names, name, length, lists[i].begin))
            traits |= lists[i].traits;
    return traits;
}
