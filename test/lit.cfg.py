# Which files are tests and what the words in their RUN lines stand for.
#
#   %cuda-host       clang++ for the host side of CUDA source, without KeSCo
#   %kesco-host      the same with the plugin; modules get no runtime, so that their IR is the program's, and launches on one
#                    lane, and calls, stay as they are
#   %kesco-opt       the library with the host pass alone, for opt
#   %cuda, %kesco    both sides of CUDA source, without and with the plugin
#   %vgpu            vgpu-clang++: makes an executable for the virtual GPU
#   %vgpu-kesco      the same with the plugin
#   %nvcc            NVIDIA's compiler
#   %gpu-libs        what links a program for a real GPU, but for KeSCo's runtime
#   %llvm-version   the major version of the LLVM and Clang that KeSCo is built for
#   %picture         the library of the samples that reads and writes pictures
#   %compare         Inputs/compare.sh of e2e
#   %check-report    fails for JSON files that are no reports, and says why
#   %check-xml       fails for an XML file that is not well-formed
#   %plugin          libkesco.so
#   %build           the build folder
#   %root, %samples, %test, %include, %runtime   folders: the repository, its samples and tests, kesco.h, the built
#                    runtime

import os
import shutil

import lit.formats

binary = config.kesco_binary_dir
source = config.kesco_source_dir
plugin = "-fplugin=" + os.path.join(binary, "plugin", "libkesco.so")
include = os.path.join(source, "runtime")
clang = os.path.join(binary, "test", "headers", "clang++")
cuda = "{} -x cuda --cuda-gpu-arch=sm_90 --cuda-path={} -Wno-unknown-cuda-version -I{}".format(
    clang, config.cuda_path, include)
vgpu = "{}/test/vgpu/vgpu-clang++ -I{}".format(binary, include)

config.name = "kesco"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".cu", ".test", ".ll"]
config.test_source_root = os.path.join(source, "test")
config.test_exec_root = os.path.join(binary, "test", "lit")
config.excludes = ["Inputs", "headers"]
config.environment["PATH"] = os.pathsep.join([config.llvm_bin, os.path.join(binary, "bin"), os.environ["PATH"]])
config.environment["CUDA_PATH"] = config.cuda_path
config.environment["KESCO_MODE"] = "lanes" # what is to be seen are lanes, and no test's kernels are worth them
for name in ("KESCO_DISABLE", "KESCO_LOG", "KESCO_PROFILE", "KESCO_TRACE", "NVTX_INJECTION64_PATH", "VGPU_SEED",
             "VGPU_CHECK", "VGPU_STATS", "VGPU_FAIL", "VGPU_DEVICES", "VGPU_CONCURRENT_MANAGED", "VGPU_TIME", "VGPU_DEVICE_MODEL", "VGPU_COUNTS",
             "VGPU_EXTRAPOLATE", "VGPU_TRACE", "VGPU_MODE", "VGPU_CLANG"):
    config.environment.pop(name, None)

config.environment["VGPU_CLANG"] = clang

config.substitutions += [
    ("%cuda-host", cuda + " --cuda-host-only"),
    ("%kesco-host", cuda + " --cuda-host-only " + plugin + " -fplugin-arg-kesco-runtime=shared -fplugin-arg-kesco-mode=lanes -fplugin-arg-kesco-across-calls=off"),
    ("%cuda", cuda),
    ("%kesco-opt", os.path.join(binary, "plugin", "libkesco_opt.so")),
    ("%kesco", cuda + " " + plugin),
    ("%vgpu-kesco", vgpu + " " + plugin),
    ("%vgpu-clang\\+\\+", os.path.join(binary, "test", "vgpu", "vgpu-clang++")),
    ("%vgpu", vgpu),
    ("%nvcc", os.path.join(config.cuda_path, "bin", "nvcc")),
    ("%llvm-version", config.llvm_version),
    ("%gpu-libs", "-L{} -L{}/lib64 -lcudart".format(os.path.join(binary, "runtime"), config.cuda_path)),
    ("%compare", os.path.join(source, "test", "e2e", "Inputs", "compare.sh")),
    ("%check-report", "/usr/bin/python3 " + os.path.join(source, "test", "report", "check_report.py")),
    ("%check-xml", "/usr/bin/python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])'"),
    ("%picture", os.path.join(binary, "samples", "libkesco_picture.a")),
    ("%build", binary),
    ("%root", source),
    ("%samples", os.path.join(source, "samples")),
    ("%include", include),
    ("%plugin", os.path.join(binary, "plugin", "libkesco.so")),
    ("%runtime", os.path.join(binary, "runtime")),
    ("%test", os.path.join(source, "test")),
]

# What other tools are needed for is not tested without them, nor what only a newer clang compiles.
config.available_features.add("clang-" + config.llvm_version)
if all(shutil.which(tool) for tool in ("dpkg", "dpkg-deb", "dpkg-shlibdeps", "fakeroot")):
    config.available_features.add("dpkg")
if os.path.exists(os.path.join(config.llvm_bin, "ld.lld")): # one of another release does not read this one's bitcode
    config.available_features.add("lld")
if shutil.which("ccache"):
    config.available_features.add("ccache")
