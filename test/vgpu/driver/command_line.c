#include "test/vgpu/driver/command_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *memory) {
    if (!memory) {
        fputs("vgpu-clang++: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

void words_add(struct words *words, const char *word) {
    if (words->count + 2 > words->capacity) {
        words->capacity = words->capacity ? 2 * words->capacity : 32;
        words->items = checked(realloc(words->items, words->capacity * sizeof(*words->items)));
    }
    words->items[words->count++] = (char *)(size_t)word;
    words->items[words->count] = NULL;
}

void words_add_all(struct words *words, const struct words *more) {
    for (size_t i = 0; i < more->count; i++)
        words_add(words, more->items[i]);
}

void words_free(struct words *words) {
    free(words->items);
    *words = (struct words){0};
}

char *join(const char *a, const char *b) {
    char *text = checked(malloc(strlen(a) + strlen(b) + 1));
    strcpy(text, a);
    strcat(text, b);
    return text;
}

static bool is_one_of(const char *text, const char *const *list) {
    for (; *list; list++)
        if (strcmp(text, *list) == 0)
            return true;
    return false;
}

static bool starts_with(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool starts_with_one_of(const char *text, const char *const *list) {
    for (; *list; list++)
        if (starts_with(text, *list))
            return true;
    return false;
}

static bool ends_with_one_of(const char *text, const char *const *list) {
    for (; *list; list++)
        if (strlen(text) > strlen(*list) && strcmp(text + strlen(text) - strlen(*list), *list) == 0)
            return true;
    return false;
}

/* Options whose value is the next argument when nothing follows in the same one. */
static const char *const takes_value[] = {"-o",
                                          "-x",
                                          "-D",
                                          "-U",
                                          "-I",
                                          "-L",
                                          "-l",
                                          "-F",
                                          "-B",
                                          "-include",
                                          "-imacros",
                                          "-isystem",
                                          "-idirafter",
                                          "-iquote",
                                          "-isysroot",
                                          "-iprefix",
                                          "-iwithprefix",
                                          "-cxx-isystem",
                                          "-Xclang",
                                          "-Xlinker",
                                          "-Xassembler",
                                          "-Xarch_host",
                                          "-Xarch_device",
                                          "-Xpreprocessor",
                                          "-Xcuda-ptxas",
                                          "-Xcuda-fatbinary",
                                          "-mllvm",
                                          "-MF",
                                          "-MT",
                                          "-MQ",
                                          "-MJ",
                                          "-T",
                                          "-u",
                                          "-z",
                                          "-e",
                                          "-rpath",
                                          "-target",
                                          "--param",
                                          "-working-directory",
                                          NULL};

static const char *const link_options[] = {"-shared",
                                           "-static",
                                           "-pie",
                                           "-no-pie",
                                           "-rdynamic",
                                           "-s",
                                           "-nostdlib",
                                           "-nodefaultlibs",
                                           "-nostartfiles",
                                           "-Xlinker",
                                           "-rpath",
                                           "-z",
                                           "-T",
                                           "-u",
                                           "-e",
                                           "-L",
                                           "-l",
                                           NULL};
static const char *const link_prefixes[] = {
    "-Wl,", "-L", "-l", "-fuse-ld=", "--ld-path=", "-static-lib", NULL};

/* What libvgpu.so and the runtime that vgpu-clang++ adds stand for. */
static const char *const replaced_libraries[] = {"cudart", "cudart_static", "cudadevrt",
                                                 "cuda",   "kesco_rt",      NULL};

/* What vgpu-clang++ gives to the steps itself. */
static const char *const dropped_prefixes[] = {"-nogpulib",           "-nocudalib",         "--offload-link",
                                               "--no-cuda-gpu-arch=", "--no-offload-arch=", NULL};

static const char *const host_options[] = {"-MD", "-MMD", "-MP", "-MG", "-MF", "-MT", "-MQ", "-MJ", NULL};
static const char *const preprocess_options[] = {"-E", "-M", "-MM", NULL};

static const char *const refused[] = {"-dc",
                                      "-dlink",
                                      "--device-link",
                                      "-S",
                                      "-emit-llvm",
                                      "--cuda-host-only",
                                      "--cuda-device-only",
                                      "--offload-host-only",
                                      "--offload-device-only",
                                      "--offload-new-driver",
                                      "-flto",
                                      NULL};

static const char *const source_endings[] = {".c", ".cc", ".cpp", ".cxx", ".c++", ".C",
                                             ".i", ".ii", ".s",   ".S",   NULL};
static const char *const cuda_endings[] = {".cu", NULL};
static const char *const object_endings[] = {".o", ".a", ".so", NULL};

static void add_input(struct command_line *line, enum input_kind kind, char *text, char *language) {
    line->inputs = checked(realloc(line->inputs, (line->input_count + 1) * sizeof(*line->inputs)));
    line->inputs[line->input_count++] = (struct input){.kind = kind, .text = text, .language = language};
    line->source_count += kind != INPUT_LINK;
}

static void add_file(struct command_line *line, char *path, char *language) {
    if (ends_with_one_of(path, object_endings) || strstr(path, ".so."))
        add_input(line, INPUT_LINK, path, NULL);
    else if (language ? strcmp(language, "cuda") == 0 : ends_with_one_of(path, cuda_endings))
        add_input(line, INPUT_CUDA, path, NULL);
    else if (language || ends_with_one_of(path, source_endings))
        add_input(line, INPUT_SOURCE, path, language);
    else
        add_input(line, INPUT_LINK, path, NULL);
}

/* The value of --cuda-gpu-arch=sm_90 and its like, or a null pointer. */
static char *arch_value(char *option) {
    static const char *const prefixes[] = {"--cuda-gpu-arch=", "--offload-arch=", NULL};
    return starts_with_one_of(option, prefixes) ? strchr(option, '=') + 1 : NULL;
}

static long arch_number(const char *arch) {
    return starts_with(arch, "sm_") ? strtol(arch + 3, NULL, 10) : 0;
}

static bool is_replaced_library(const char *option, const char *value) {
    return starts_with(option, "-l") && is_one_of(option[2] ? option + 2
                                                  : value   ? value
                                                            : "",
                                                  replaced_libraries);
}

/* Options that only set a field. Returns whether it was one. */
static bool set_field(struct command_line *line, char *option, char *value) {
    char *arch = arch_value(option);
    if (strcmp(option, "-o") == 0)
        line->output = value;
    else if (strcmp(option, "-c") == 0)
        line->only.compile = true;
    else if (starts_with(option, "--cuda-path="))
        line->cuda_path = strchr(option, '=') + 1;
    else if (strcmp(option, "-fgpu-rdc") == 0)
        line->relocatable = true;
    else if (strcmp(option, "-fno-gpu-rdc") == 0)
        line->relocatable = false;
    else if (strcmp(option, "-###") == 0)
        line->verbose = line->dry_run = true;
    else if (!arch)
        return false;
    else if (!line->arch || arch_number(arch) > arch_number(line->arch))
        line->arch = arch;
    return true;
}

static void add_link_option(struct command_line *line, char *option, char *value) {
    if (is_replaced_library(option, value))
        return;
    add_input(line, INPUT_LINK, option, NULL);
    if (value)
        add_input(line, INPUT_LINK, value, NULL);
}

static void add_option(struct command_line *line, char *option, char *value) {
    if (set_field(line, option, value) || starts_with_one_of(option, dropped_prefixes))
        return;
    if (is_one_of(option, link_options) || starts_with_one_of(option, link_prefixes)) {
        add_link_option(line, option, value);
        return;
    }
    if (starts_with(option, "-fgpu-default-stream=")) {
        words_add(&line->flags.cuda,
                  "-Xclang"); /* clang's driver knows it for HIP only, its front end for CUDA too */
        words_add(&line->flags.cuda, option);
        return;
    }
    line->verbose |= strcmp(option, "-v") == 0;
    line->only.host |= is_one_of(option, preprocess_options);
    line->only.syntax |= strcmp(option, "-fsyntax-only") == 0;
    line->depfile.wanted |= strcmp(option, "-MD") == 0 || strcmp(option, "-MMD") == 0;
    line->depfile.named |= strcmp(option, "-MF") == 0;
    struct words *flags = is_one_of(option, host_options) ? &line->flags.host : &line->flags.common;
    words_add(flags, option);
    if (value)
        words_add(flags, value);
}

static int refuse(const char *option) {
    fprintf(stderr,
            "vgpu-clang++: '%s' is not modelled: the virtual GPU makes objects and programs for this CPU\n",
            option);
    return 1;
}

/* nvcc's way to say which device code is for. */
static const char *const nvcc_arch[] = {"-arch", "--gpu-architecture", "-gencode", "--generate-code", NULL};

/* `rest`: what stands after the option, in it or as the next argument; or a null pointer. */
static int refuse_nvcc_arch(const char *option, const char *rest) {
    const char *number = strpbrk(strchr(option, '=') || !rest ? option : rest, "0123456789");
    fprintf(stderr, "vgpu-clang++: '%s' is nvcc's, not clang's; did you mean: --cuda-gpu-arch=sm_%ld\n",
            option, number ? strtol(number, NULL, 10) : 90);
    return 1;
}

static int check(const struct command_line *line) {
    if (line->output && line->source_count > 1 && (line->only.compile || line->only.host)) {
        fputs("vgpu-clang++: cannot specify -o when generating multiple output files\n", stderr);
        return 1;
    }
    return 0;
}

int command_line_parse(struct command_line *line, int argc, char **argv) {
    char *language = NULL;
    *line = (struct command_line){0};
    for (int i = 0; i < argc; i++) {
        char *option = argv[i], *value = NULL;
        if (option[0] != '-' || !option[1]) {
            add_file(line, option, language);
            continue;
        }
        if (is_one_of(option, refused) || starts_with(option, "-flto="))
            return refuse(option);
        if (is_one_of(option, nvcc_arch) || (strchr(option, '=') && starts_with_one_of(option, nvcc_arch)))
            return refuse_nvcc_arch(option, i + 1 < argc ? argv[i + 1] : NULL);
        if (is_one_of(option, takes_value)) {
            if (i + 1 == argc) {
                fprintf(stderr, "vgpu-clang++: argument to '%s' is missing\n", option);
                return 1;
            }
            value = argv[++i];
        }
        if (starts_with(option, "-x")) {
            language = value ? value : option + 2;
            if (strcmp(language, "none") == 0)
                language = NULL;
            continue;
        }
        add_option(line, option, value);
    }
    return check(line);
}

void command_line_free(struct command_line *line) {
    words_free(&line->flags.common);
    words_free(&line->flags.cuda);
    words_free(&line->flags.host);
    free(line->inputs);
}
