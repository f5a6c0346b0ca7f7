#include "relocatable.h"

#include "image.h"
#include "plugin/llvm_version.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Frontend/Offloading/OffloadWrapper.h"
#include "llvm/Frontend/Offloading/Utility.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Object/OffloadBinary.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace vgpu {

static Expected<std::unique_ptr<MemoryBuffer>> read(StringRef Path) {
    auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!Buffer)
        return createStringError(Path + ": " + Buffer.getError().message());
    return std::move(*Buffer);
}

Error packBitcode(StringRef Bitcode, StringRef Package) {
    auto Buffer = read(Bitcode);
    if (!Buffer)
        return Buffer.takeError();
    object::OffloadBinary::OffloadingImage Image;
    Image.TheImageKind = object::IMG_Bitcode;
    Image.TheOffloadKind = object::OFK_Cuda;
    Image.StringData["triple"] = "nvptx64-nvidia-cuda";
    Image.Image = std::move(*Buffer);
    std::error_code Code;
    raw_fd_ostream Out(Package, Code);
    if (Code)
        return createStringError(Package + ": " + Code.message());
    Out << object::OffloadBinary::write(Image);
    Out.close();
    return Out.has_error() ? createStringError(Package + ": " + Out.error().message()) : Error::success();
}

static Error link(Module &All, const object::OffloadBinary &Packed) {
    auto M = parseBitcodeFile(MemoryBufferRef(Packed.getImage(), "device code"), All.getContext());
    if (!M)
        return M.takeError();
    const std::string Source = (*M)->getSourceFileName();
    if (All.getTargetTriple().empty()) {
        All.setTargetTriple((*M)->getTargetTriple());
        All.setDataLayout((*M)->getDataLayout());
    }
    if (Linker::linkModules(All, std::move(*M)))
        return createStringError("the device code of '" + Source +
                                 "' cannot be linked with that of the others");
    return Error::success();
}

Expected<std::unique_ptr<Module>> linkPacked(ArrayRef<std::string> Files, LLVMContext &Context) {
    SmallVector<object::OffloadFile> Found;
    std::vector<std::unique_ptr<MemoryBuffer>> Buffers;
    for (const std::string &File : Files) {
        auto Buffer = read(File);
        if (!Buffer)
            return Buffer.takeError();
        if (Error E = object::extractOffloadBinaries(**Buffer, Found))
            return createStringError(File + ": " + toString(std::move(E)));
        Buffers.push_back(std::move(*Buffer));
    }
    auto All = std::make_unique<Module>("device code", Context);
    for (const object::OffloadFile &File : Found)
        if (File.getBinary()->getOffloadKind() == object::OFK_Cuda)
            if (Error E = link(*All, *File.getBinary()))
                return std::move(E);
    return std::move(All);
}

Error emitRegistration(StringRef ImageFile, StringRef Object, LLVMContext &Context) {
    auto Buffer = read(ImageFile);
    if (!Buffer)
        return Buffer.takeError();
    Module M("registration", Context);
    if (Error E = setTarget(M))
        return E;
    const StringRef Bytes = (*Buffer)->getBuffer();
    if (Error E = offloading::wrapCudaBinary(M, ArrayRef(Bytes.data(), Bytes.size()),
                                             offloading::getOffloadEntryArray(M, kesco::OffloadEntries)))
        return E;
    return emitObject(M, 0, Object);
}

} // namespace vgpu
