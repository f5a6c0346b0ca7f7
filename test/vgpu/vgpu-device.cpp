/*
 * vgpu-device: makes a device image of the virtual GPU (see device.h) from the bitcode of clang's device
 * compile.
 *
 *   vgpu-device IN.bc -o OUT --library=libvgpu.so --linker=clang [-O0|-O1|-O2|-O3]
 *
 * The library says what is modelled: see device_abi.h.
 */
#include "image/image.h"
#include "test/vgpu/device.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;

static cl::opt<std::string> Input(cl::Positional, cl::Required, cl::desc("<device bitcode>"));
static cl::opt<std::string> Output("o", cl::Required, cl::desc("The image to write"));
static cl::opt<std::string> Library("library", cl::Required, cl::desc("libvgpu.so"));
static cl::opt<std::string> Linker("linker", cl::Required, cl::desc("A compiler driver to link with"));
static cl::opt<char> OptLevel("O", cl::Prefix, cl::init('2'), cl::desc("Optimisation level"));

/// The names that the library defines for others.
static Expected<StringSet<>> readExports() {
    auto File = object::ObjectFile::createObjectFile(Library);
    if (!File)
        return File.takeError();
    const auto *Elf = dyn_cast<object::ELFObjectFileBase>(File->getBinary());
    if (!Elf)
        return createStringError(Library + ": not an ELF file");
    StringSet<> Names;
    for (const object::ELFSymbolRef Symbol : Elf->getDynamicSymbolIterators()) {
        auto Name = Symbol.getName();
        auto Flags = Symbol.getFlags();
        if (!Name || !Flags)
            return joinErrors(Name.takeError(), Flags.takeError());
        if (!(*Flags & object::SymbolRef::SF_Undefined))
            Names.insert(*Name);
    }
    return Names;
}

static Error link(StringRef Object, StringRef SharedObject) {
    const StringRef Arguments[] = {
        Linker,        "-shared",        "-nostartfiles",      Object, Library, "-lm", "-o", SharedObject,
        "-Wl,-z,defs", "-Wl,-Bsymbolic", "-Wl,--build-id=none"};
    std::string Message;
    if (sys::ExecuteAndWait(Linker, Arguments, std::nullopt, {}, 0, 0, &Message))
        return createStringError("cannot link the device code: " + Message);
    return Error::success();
}

/// Writes the header and the shared object behind it.
static Error writeImage(StringRef SharedObject) {
    auto Code = MemoryBuffer::getFile(SharedObject, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!Code)
        return createStringError(SharedObject + ": " + Code.getError().message());
    vgpu_image_header Header = {};
    memcpy(Header.magic, VGPU_IMAGE_MAGIC, sizeof(Header.magic));
    Header.size = (*Code)->getBufferSize();
    std::error_code Error;
    raw_fd_ostream Out(Output, Error);
    if (Error)
        return createStringError(Output + ": " + Error.message());
    Out.write(reinterpret_cast<const char *>(&Header), sizeof(Header));
    Out << (*Code)->getBuffer();
    Out.close();
    return Out.has_error() ? createStringError(Output + ": " + Out.error().message()) : Error::success();
}

static Error translate(Module &M) {
    auto Exports = readExports();
    if (!Exports)
        return Exports.takeError();
    StripDebugInfo(M);
    vgpu::Image I(M, *Exports);
    if (Error E = vgpu::lowerMemory(I))
        return E;
    vgpu::lowerAssembly(I);
    vgpu::lowerCalls(I);
    if (Error E = vgpu::retarget(I))
        return E;
    vgpu::countWork(I);
    vgpu::recordAccesses(I);
    vgpu::addTable(I);

    const std::string Object = Output + ".o", SharedObject = Output + ".so";
    FileRemover RemoveObject(Object), RemoveSharedObject(SharedObject);
    if (Error E = vgpu::emitObject(M, OptLevel == '0' ? 0 : 2, Object))
        return E;
    if (Error E = link(Object, SharedObject))
        return E;
    return writeImage(SharedObject);
}

int main(int argc, char **argv) {
    InitLLVM Init(argc, argv);
    cl::ParseCommandLineOptions(argc, argv, "Makes a device image of the virtual GPU from device bitcode\n");
    LLVMContext Context;
    SMDiagnostic Diagnostic;
    std::unique_ptr<Module> M = parseIRFile(Input, Diagnostic, Context);
    if (!M) {
        Diagnostic.print("vgpu-device", errs());
        return 1;
    }
    if (Error E = translate(*M)) {
        errs() << "vgpu-device: " << M->getSourceFileName() << ": " << toString(std::move(E)) << "\n";
        return 1;
    }
    return 0;
}
