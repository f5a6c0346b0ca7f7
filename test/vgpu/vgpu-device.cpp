/*
 * vgpu-device: makes a device image of the virtual GPU (see device.h) from the bitcode of clang's device
 * compile.
 *
 *   vgpu-device IN.bc -o OUT --library=libvgpu.so --linker=clang [-O0|-O1|-O2|-O3]
 *
 * With -fgpu-rdc, a compile packs its bitcode for its host object, and a link makes an object with the image
 * of all that is packed in its objects and archives (image/relocatable.h):
 *
 *   vgpu-device --pack IN.bc -o OUT
 *   vgpu-device --link IN.o... -o OUT.o --library=libvgpu.so --linker=clang [-O0|-O1|-O2|-O3]
 *
 * The library says what is modelled: see device_abi.h.
 */
#include "image/image.h"
#include "image/relocatable.h"
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

static cl::list<std::string> Inputs(cl::Positional, cl::OneOrMore,
                                    cl::desc("<device bitcode or host objects>"));
static cl::opt<std::string> Output("o", cl::Required, cl::desc("The file to write"));
static cl::opt<std::string> Library("library", cl::desc("libvgpu.so"));
static cl::opt<std::string> Linker("linker", cl::desc("A compiler driver to link with"));
static cl::opt<bool> Pack("pack", cl::desc("Pack the bitcode for a host object"));
static cl::opt<bool> Link("link", cl::desc("Take what is packed in host objects"));
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
static Error writeImage(StringRef SharedObject, StringRef Path) {
    auto Code = MemoryBuffer::getFile(SharedObject, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!Code)
        return createStringError(SharedObject + ": " + Code.getError().message());
    vgpu_image_header Header = {};
    memcpy(Header.magic, VGPU_IMAGE_MAGIC, sizeof(Header.magic));
    Header.size = (*Code)->getBufferSize();
    std::error_code Error;
    raw_fd_ostream Out(Path, Error);
    if (Error)
        return createStringError(Path + ": " + Error.message());
    Out.write(reinterpret_cast<const char *>(&Header), sizeof(Header));
    Out << (*Code)->getBuffer();
    Out.close();
    return Out.has_error() ? createStringError(Path + ": " + Out.error().message()) : Error::success();
}

/// Makes the image \p Path.
static Error translate(Module &M, const std::string &Path) {
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

    const std::string Object = Path + ".o", SharedObject = Path + ".so";
    FileRemover RemoveObject(Object), RemoveSharedObject(SharedObject);
    if (Error E = vgpu::emitObject(M, OptLevel == '0' ? 0 : 2, Object))
        return E;
    if (Error E = link(Object, SharedObject))
        return E;
    return writeImage(SharedObject, Path);
}

static Error translateAlone(LLVMContext &Context) {
    SMDiagnostic Diagnostic;
    std::unique_ptr<Module> M = parseIRFile(Inputs.front(), Diagnostic, Context);
    if (!M)
        return createStringError(Diagnostic.getMessage());
    Error E = translate(*M, Output);
    return E ? createStringError(M->getSourceFileName() + ": " + toString(std::move(E))) : Error::success();
}

static Error translateLinked(LLVMContext &Context) {
    const std::string Image = Output + ".image";
    FileRemover RemoveImage(Image);
    auto M = vgpu::linkPacked(Inputs, Context);
    if (!M)
        return M.takeError();
    if (Error E = translate(**M, Image))
        return E;
    return vgpu::emitRegistration(Image, Output, Context);
}

int main(int argc, char **argv) {
    InitLLVM Init(argc, argv);
    cl::ParseCommandLineOptions(argc, argv, "Makes a device image of the virtual GPU from device bitcode\n");
    LLVMContext Context;
    Error E = Pack   ? vgpu::packBitcode(Inputs.front(), Output)
              : Link ? translateLinked(Context)
                     : translateAlone(Context);
    if (!E)
        return 0;
    errs() << "vgpu-device: " << toString(std::move(E)) << "\n";
    return 1;
}
