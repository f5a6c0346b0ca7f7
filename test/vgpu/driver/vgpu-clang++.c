/*
 * vgpu-clang++: takes clang++'s CUDA command line and makes an object or a program for this CPU.
 *
 * A .cu file goes through three steps: clang's device compile to bitcode, vgpu-device (bitcode to a device
 * image, see device.h), and clang's host compile with that image in the place of the fatbinary. So each
 * object is complete by itself. With -fgpu-rdc, the bitcode goes into the object instead, and a link makes
 * the image from all objects and archives that have some, and an object that registers it. Host compiles load
 * vgpu-host.so, by which host code tells of its accesses. A link gets libvgpu.so in the place of CUDA's
 * libraries, and KeSCo's runtime if it has been built. Other files are clang++'s.
 *
 * Where all these are: see places.h. The CUDA Toolkit is where --cuda-path says, else the environment's
 * CUDA_PATH, else where clang looks for it.
 */
#define _GNU_SOURCE
#include "test/vgpu/driver/command_line.h"
#include "test/vgpu/driver/packed_objects.h"
#include "test/vgpu/driver/places.h"
#include "test/vgpu/driver/step.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char default_arch[] = "sm_90";

/* CUDA's version as clang tells its front end; clang leaves it out together with libdevice. Clang 19 knows
 * none that is newer. */
static const char sdk_version[] = "-target-sdk-version=12.5";

static struct places places;

static int run(const struct command_line *line, struct words *step) {
    int status = 0;
    if (line->verbose)
        step_print(step);
    if (!line->dry_run)
        status = step_run(step);
    words_free(step);
    return status;
}

/* As with nvcc, the headers of CUB, Thrust and libcu++ are found: behind all others. */
static void add_cuda_path(const struct command_line *line, struct words *step) {
    const char *path = line->cuda_path ? line->cuda_path : getenv("CUDA_PATH");
    if (path && *path)
        words_add(step, join("--cuda-path=", path));
    words_add(step, "-idirafter");
    words_add(step, join(path && *path ? path : "/usr/local/cuda", "/include/cccl"));
}

/* clang++ and what every compile of CUDA code takes. */
static struct words cuda_compile(const struct command_line *line, const char *side) {
    struct words step = {0};
    words_add(&step, places.clang);
    words_add(&step, side);
    words_add_all(&step, &line->flags.common);
    words_add_all(&step, &line->flags.cuda);
    words_add(&step, join("--cuda-gpu-arch=", line->arch ? line->arch : default_arch));
    add_cuda_path(line, &step);
    if (places.include) {
        words_add(&step, "-idirafter");
        words_add(&step, places.include);
    }
    words_add(&step, "-Wno-unknown-cuda-version");
    words_add(&step, "-Wno-unused-command-line-argument");
    return step;
}

/* With -fgpu-rdc, what is static in a unit has a name that no other unit has, the same in both its compiles:
 * by the command line that they share, and the source (FNV-1a). */
static const char *unit_id(const struct command_line *line, const struct input *input) {
    char *id = join("-cuid=", "0123456789abcdef");
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    char *path = realpath(input->text, NULL);
    struct words words = {0};
    words_add_all(&words, &line->flags.common);
    words_add(&words, path ? path : input->text);
    words_add(&words, line->output ? line->output : "");
    for (size_t i = 0; i < words.count; i++)
        for (const char *c = words.items[i]; *c; c++)
            hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    snprintf(id + strlen("-cuid="), sizeof("0123456789abcdef"), "%016" PRIx64, hash);
    words_free(&words);
    free(path);
    return id;
}

static void add_unit(const struct command_line *line, struct words *step, const struct input *input) {
    if (!line->relocatable)
        return;
    words_add(step, "-fgpu-rdc");
    words_add(step, "--offload-new-driver");
    words_add(step, unit_id(line, input));
}

static void add_source(struct words *step, const struct input *input, const char *language) {
    if (language) {
        words_add(step, "-x");
        words_add(step, language);
    }
    words_add(step, input->text);
}

static int compile_device(const struct command_line *line, const struct input *input, const char *bitcode) {
    struct words step = cuda_compile(line, "--cuda-device-only");
    words_add(&step, "-nogpulib");
    words_add(&step, "-Xclang");
    words_add(&step, sdk_version);
    add_unit(line, &step, input);
    add_source(&step, input, "cuda");
    if (!line->only.syntax) {
        words_add(&step, "-emit-llvm");
        words_add(&step, "-c");
        words_add(&step, "-o");
        words_add(&step, bitcode);
    }
    return run(line, &step);
}

/* The last -O of the command line, for vgpu-device: -O0 if there is none. */
static const char *opt_level(const struct command_line *line) {
    const char *level = "-O0";
    for (size_t i = 0; i < line->flags.common.count; i++) {
        const char *word = line->flags.common.items[i];
        if (strncmp(word, "-O", 2) == 0)
            level = strcmp(word, "-O0") == 0 ? "-O0" : "-O2";
    }
    return level;
}

static int pack(const struct command_line *line, const char *bitcode, const char *package) {
    struct words step = {0};
    words_add(&step, join(places.parts, "vgpu-device"));
    words_add(&step, "--pack");
    words_add(&step, bitcode);
    words_add(&step, "-o");
    words_add(&step, package);
    return run(line, &step);
}

/* `input`: bitcode, for an image; or "--link", objects and archives, for an object that registers theirs. */
static int translate(const struct command_line *line, const struct words *input, const char *output) {
    struct words step = {0};
    words_add(&step, join(places.parts, "vgpu-device"));
    words_add_all(&step, input);
    words_add(&step, "-o");
    words_add(&step, output);
    words_add(&step, join("--library=", join(places.parts, "libvgpu.so")));
    words_add(&step, join("--linker=", places.clang));
    words_add(&step, opt_level(line));
    return run(line, &step);
}

/* The name of `path` without folder and ending, with another ending. */
static char *renamed(const char *path, const char *ending) {
    const char *slash = strrchr(path, '/');
    char *name = join(slash ? slash + 1 : path, "");
    char *dot = strrchr(name, '.');
    if (dot)
        *dot = 0;
    return join(name, ending);
}

/* Host flags and output of a compile; `object` is a null pointer where none is made. */
static void add_host_output(const struct command_line *line, struct words *step, const struct input *input,
                            const char *object) {
    words_add_all(step, &line->flags.host);
    if (line->depfile.wanted && !line->depfile.named && !line->only.compile) {
        words_add(step, "-MF");
        words_add(step, renamed(input->text, ".d"));
    }
    if (!object)
        return;
    if (!line->only.host)
        words_add(step, "-c");
    words_add(step, "-o");
    words_add(step, object);
}

static int compile_host(const struct command_line *line, const struct input *input, const char *image,
                        const char *object) {
    struct words step = cuda_compile(line, "--cuda-host-only");
    words_add(&step, join("-fpass-plugin=", join(places.parts, "vgpu-host.so")));
    add_unit(line, &step, input);
    if (image && line->relocatable) {
        words_add(&step, "-Xclang");
        words_add(&step, join("-fembed-offload-object=", image));
    } else if (image) {
        words_add(&step, "-Xclang");
        words_add(&step, "-fcuda-include-gpubinary");
        words_add(&step, "-Xclang");
        words_add(&step, image);
    }
    add_source(&step, input, "cuda");
    add_host_output(line, &step, input, object);
    return run(line, &step);
}

static int compile_cuda(const struct command_line *line, const struct input *input, size_t number,
                        const char *object) {
    const char *bitcode = step_path(number, ".bc"), *image = step_path(number, ".image");
    struct words translated = {0};
    int status = 0;
    if (line->only.host)
        return compile_host(line, input, NULL, line->output);
    if ((status = compile_device(line, input, bitcode)))
        return status;
    if (line->only.syntax)
        return compile_host(line, input, NULL, NULL);
    words_add(&translated, bitcode);
    status = line->relocatable ? pack(line, bitcode, image) : translate(line, &translated, image);
    words_free(&translated);
    if (status)
        return status;
    return compile_host(line, input, image, object);
}

static int compile_plain(const struct command_line *line, const struct input *input, const char *object) {
    struct words step = {0};
    words_add(&step, places.clang);
    words_add_all(&step, &line->flags.common);
    words_add(&step, "-Wno-unused-command-line-argument");
    words_add(&step, join("-fpass-plugin=", join(places.parts, "vgpu-host.so")));
    add_source(&step, input, input->language);
    add_host_output(line, &step, input, line->only.host ? line->output : line->only.syntax ? NULL : object);
    return run(line, &step);
}

/* Compiles each source; its object takes its place among the inputs. */
static int compile_all(struct command_line *line) {
    for (size_t i = 0; i < line->input_count; i++) {
        struct input *input = &line->inputs[i];
        int status = 0;
        char *object = NULL;
        if (input->kind == INPUT_LINK)
            continue;
        if (line->only.compile)
            object = line->output ? line->output : renamed(input->text, ".o");
        else
            object = step_path(i, ".o");
        if (input->kind == INPUT_CUDA)
            status = compile_cuda(line, input, i, object);
        else
            status = compile_plain(line, input, object);
        if (status)
            return status;
        input->text = object;
    }
    return 0;
}

/* Sets `object` to one that registers the device code that is to be linked; NULL: there is none. */
static int link_device(const struct command_line *line, const char **object) {
    struct words packed = packed_objects(line);
    *object = packed.count > 1 ? step_path(line->input_count, ".device.o") : NULL;
    const int status = *object ? translate(line, &packed, *object) : 0;
    words_free(&packed);
    return status;
}

static int link_all(const struct command_line *line) {
    struct words step = {0};
    const char *device;
    const int status = link_device(line, &device);
    if (status)
        return status;
    words_add(&step, places.clang);
    words_add_all(&step, &line->flags.common);
    words_add(&step, "-Wno-unused-command-line-argument");
    for (size_t i = 0; i < line->input_count; i++)
        words_add(&step, line->inputs[i].text);
    if (device)
        words_add(&step, device);
    if (places.runtime)
        words_add(&step, places.runtime);
#ifdef KESCO_SANITIZE
    words_add(&step, "-fsanitize=address,undefined"); /* libvgpu.so needs the sanitizers' runtime */
#endif
    words_add(&step, join(places.parts, "libvgpu.so"));
    words_add(&step, join("-Wl,-rpath,", places.parts));
    words_add(&step, "-o");
    words_add(&step, line->output ? line->output : "a.out");
    return run(line, &step);
}

static const char usage[] =
    "usage: vgpu-clang++ [CLANG++ ARGUMENT...]\n\n"
    "Takes clang++'s CUDA command line, and makes an object or a program for this CPU, whose kernels run "
    "there:\n"
    "a virtual GPU, with CUDA's ordering rules. An example, with KeSCo's plugin:\n\n"
    "  vgpu-clang++ -O2 -fplugin=libkesco.so app.cu -o app\n"
    "  VGPU_CHECK=races ./app\n\n"
    "  --help     this text; --help-hidden and the like are clang++'s\n"
    "  --version  the version of clang++\n\n"
    "environment:\n"
    "  CUDA_PATH   root of the CUDA Toolkit, of which only headers are used\n"
    "  VGPU_CLANG  the clang++ to run\n\n"
    "Programs take VGPU_SEED, VGPU_CHECK, VGPU_TIME, VGPU_TRACE, VGPU_STATS and more: man vgpu-clang++.\n";

/* Questions to the compiler itself: --version and the like. */
static int ask_clang(int argc, char **argv) {
    struct words step = {0};
    words_add(&step, places.clang);
    for (int i = 1; i < argc; i++)
        words_add(&step, argv[i]);
    const int status = step_run(&step);
    words_free(&step);
    return status;
}

int main(int argc, char **argv) {
    struct command_line line = {0};
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return fputs(usage, stdout) == EOF;
    int status = places_find(&places);
    if (!status)
        status = command_line_parse(&line, argc - 1, argv + 1);
    if (!status && line.input_count == 0) {
        status = ask_clang(argc, argv);
    } else if (!status) {
        status = step_begin();
        if (!status)
            status = compile_all(&line);
        if (!status && !line.only.compile && !line.only.host && !line.only.syntax)
            status = link_all(&line);
        step_end();
    }
    command_line_free(&line);
    return status;
}
