#include "plugin/cuda/host_library.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BuildLibCalls.h"

using namespace llvm;

namespace kesco {

/// Of the functions that LLVM knows, those that are given a function to call, wait for or wake others (what
/// they then wait for must be there), or start a process.
static bool isActive(LibFunc Function) {
    switch (Function) {
    case LibFunc_atexit:
    case LibFunc_atomic_load:
    case LibFunc_atomic_store:
    case LibFunc_cxa_atexit:
    case LibFunc_cxa_guard_abort:
    case LibFunc_cxa_guard_acquire:
    case LibFunc_cxa_guard_release:
    case LibFunc_execl:
    case LibFunc_execle:
    case LibFunc_execlp:
    case LibFunc_execv:
    case LibFunc_execvP:
    case LibFunc_execve:
    case LibFunc_execvp:
    case LibFunc_execvpe:
    case LibFunc_flockfile:
    case LibFunc_fork:
    case LibFunc_ftrylockfile:
    case LibFunc_funlockfile:
    case LibFunc_pclose:
    case LibFunc_popen:
    case LibFunc_qsort:
    case LibFunc_read:
    case LibFunc_setitimer:
    case LibFunc_system:
    case LibFunc_write:
        return true;
    default:
        return false;
    }
}

static const TargetLibraryInfoImpl &libraryOf(const Module &M) {
    static const TargetLibraryInfoImpl Library(M.getTargetTriple());
    return Library;
}

static bool isKnownToLlvm(const Function &F) {
    LibFunc Found;
    return libraryOf(*F.getParent()).getLibFunc(F, Found) && !isActive(Found);
}

/// C functions that LLVM has no name for, and the C++ runtime's.
static constexpr StringRef Names[] = {
    "_ZSt9terminatev",
    "_exit",
    "__assert_fail",
    "__clang_call_terminate",
    "__cxa_allocate_exception",
    "__cxa_begin_catch",
    "__cxa_end_catch",
    "__cxa_free_exception",
    "__cxa_rethrow",
    "__cxa_throw",
    "clock",
    "clock_gettime",
    "drand48",
    "omp_get_wtime",
    "quick_exit",
    "rand",
    "random",
    "srand",
    "srand48",
    "srandom",
    "strerror",
    "time",
};

/// The C++ library, by how the mangled names begin: streams, strings, exceptions, clocks.
static constexpr StringRef Prefixes[] = {
    "_ZNKSt13runtime_error",
    "_ZNKSt7__cxx1112basic_string",
    "_ZNKSt9basic_ios",
    "_ZNKSt9exception",
    "_ZNSaI",
    "_ZNSo",
    "_ZNSt11logic_error",
    "_ZNSt11range_error",
    "_ZNSt12domain_error",
    "_ZNSt12length_error",
    "_ZNSt12out_of_range",
    "_ZNSt13runtime_error",
    "_ZNSt14overflow_error",
    "_ZNSt15underflow_error",
    "_ZNSt16invalid_argument",
    "_ZNSt6chrono",
    "_ZNSt7__cxx1112basic_string",
    "_ZNSt7__cxx1115basic_stringbuf",
    "_ZNSt7__cxx1118basic_stringstream",
    "_ZNSt7__cxx1119basic_ostringstream",
    "_ZNSt8ios_base",
    "_ZNSt9basic_ios",
    "_ZNSt9exception",
    "_ZSt16__ostream_insert",
    "_ZSt4endl",
    "_ZSt5flush",
    "_ZStlsI",
};

bool isHostLibraryFunction(const Function &F) {
    if (!F.isDeclaration() || F.isIntrinsic())
        return false;
    StringRef Name = F.getName();
    return isKnownToLlvm(F) || is_contained(Names, Name) ||
           any_of(Prefixes, [&](StringRef Prefix) { return Name.starts_with(Prefix); }) ||
           throwsFromLibrary(F);
}

/// Of Names, those that only compute.
static constexpr StringRef Computing[] = {
    "clock",  "clock_gettime", "drand48", "omp_get_wtime", "rand",
    "random", "srand",         "srand48", "srandom",       "time",
};

/// True if LLVM says of \p F that it touches nothing but its arguments and what no
/// code but its own knows. Memory that is allocated and given back is such to LLVM, but a program may have
/// functions of its own for that.
static bool isPassive(const Function &F) {
    Module Scratch("", F.getContext());
    Scratch.setTargetTriple(F.getParent()->getTargetTriple());
    Scratch.setDataLayout(F.getParent()->getDataLayout());
    Function *Known = Function::Create(F.getFunctionType(), Function::ExternalLinkage, F.getName(), Scratch);
    inferNonMandatoryLibFuncAttrs(*Known, TargetLibraryInfo(libraryOf(*F.getParent())));
    MemoryEffects Left = Known->getMemoryEffects()
                             .getWithoutLoc(IRMemLocation::ArgMem)
                             .getWithoutLoc(IRMemLocation::InaccessibleMem)
                             .getWithoutLoc(IRMemLocation::ErrnoMem);
    return Left.onlyReadsMemory() && !Known->hasFnAttribute(Attribute::AllocKind) &&
           !Known->returnDoesNotAlias();
}

bool mayCallBack(const Function &F) {
    StringRef Name = F.getName();
    return !is_contained(Computing, Name) && !Name.starts_with("_ZNSt6chrono") &&
           !(isKnownToLlvm(F) && isPassive(F));
}

bool readsClock(const Function &F) {
    static constexpr StringRef Clocks[] = {
        "clock", "clock_gettime", "gettimeofday", "omp_get_wtime", "time", "times",
    };
    return F.isDeclaration() &&
           (is_contained(Clocks, F.getName()) || F.getName().starts_with("_ZNSt6chrono"));
}

bool actsOnFiles(const Function &F) {
    static constexpr StringRef Acting[] = {
        "chmod", "chown", "ftruncate", "lchown", "mkdir", "remove", "rename", "rmdir", "truncate", "unlink",
    };
    return F.isDeclaration() && is_contained(Acting, F.getName());
}

bool throwsFromLibrary(const Function &F) {
    return F.isDeclaration() && F.getName().starts_with("_ZSt") && F.getName().contains("__throw_");
}

} // namespace kesco
