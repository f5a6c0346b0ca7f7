#include "plugin/kernels/device_image.h"

#include "plugin/kernels/fatbinary.h"
#include "plugin/kernels/nvcc_files.h"

extern "C" {
#include "plugin/summary/summary_text.h"
}

#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/OffloadBinary.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cerrno>

using namespace llvm;

namespace kesco {

/// Names of the globals that hold summaries in device code begin so.
static constexpr char SummaryGlobal[] = "__kesco1_summary";

/// What a C function says that returns \p Status.
static Error errorOf(int Status, const char *Problem) {
    if (Status == -EBADMSG)
        return createStringError(Problem);
    return Status ? createStringError("there is not enough memory") : Error::success();
}

static Error readBytes(StringRef Bytes, kesco_summaries &Set) {
    size_t Found;
    const char *Problem = nullptr;
    const int Status = kesco_summary_text_read(&Set, Bytes.data(), Bytes.size(), &Found, &Problem);
    return errorOf(Status, Problem);
}

static Error readBitcode(StringRef Bytes, kesco_summaries &Set) {
    LLVMContext Context;
    Expected<std::unique_ptr<Module>> M = getLazyBitcodeModule(MemoryBufferRef(Bytes, ""), Context);
    if (!M)
        return M.takeError();
    for (const GlobalVariable &Global : (*M)->globals()) {
        if (!Global.getName().starts_with(SummaryGlobal) || !Global.hasInitializer())
            continue;
        const auto *Text = dyn_cast<ConstantDataSequential>(Global.getInitializer());
        if (!Text)
            return createStringError("its constant is no text");
        if (Error E = readBytes(Text->getRawDataValues(), Set))
            return E;
    }
    return Error::success();
}

/// \p Where keeps what is said of a problem.
static int decompress(void *Where, const void *From, size_t FromSize, void *To, size_t *Size,
                      const char **Problem) {
    Error E = compression::zstd::decompress(ArrayRef(static_cast<const uint8_t *>(From), FromSize),
                                            static_cast<uint8_t *>(To), *Size);
    if (!E)
        return 0;
    std::string &Text = *static_cast<std::string *>(Where);
    Text = toString(std::move(E));
    *Problem = Text.c_str();
    return -EBADMSG;
}

static kesco_decompressor decompressor(std::string &Where) {
    return {compression::zstd::isAvailable() ? decompress : nullptr, &Where};
}

static Error readFatbinary(StringRef Bytes, kesco_summaries &Set) {
    std::string Text;
    const char *Problem = nullptr;
    const kesco_decompressor Zstd = decompressor(Text);
    const int Status = kesco_fatbinary_read_summaries(Bytes.data(), Bytes.size(), &Zstd, &Set, &Problem);
    return errorOf(Status, Problem);
}

namespace {

struct PtxTexts : kesco_ptx_texts {
    PtxTexts() : kesco_ptx_texts() {
    }
    PtxTexts(const PtxTexts &) = delete;
    ~PtxTexts() {
        kesco_ptx_texts_free(this);
    }

    /// All of them, where a C function that returns \p Status found them.
    Expected<std::vector<std::string>> get(int Status, const char *Problem) const {
        if (Error E = errorOf(Status, Problem))
            return std::move(E);
        std::vector<std::string> All;
        for (const kesco_ptx_text &Text : ArrayRef(items, count))
            All.emplace_back(Text.bytes, Text.size);
        return All;
    }
};

} // namespace

static Error readImage(StringRef Bytes, kesco_summaries &Set) {
    switch (identify_magic(Bytes)) {
    case file_magic::cuda_fatbinary:
        return readFatbinary(Bytes, Set);
    case file_magic::bitcode:
        return readBitcode(Bytes, Set);
    default:
        return readBytes(Bytes, Set);
    }
}

static Error readPackage(MemoryBufferRef File, kesco_summaries &Set) {
    SmallVector<object::OffloadFile, 4> Images;
    if (Error E = object::extractOffloadBinaries(File, Images))
        return E;
    for (const object::OffloadFile &Image : Images)
        if (Error E = readImage(Image.getBinary()->getImage(), Set))
            return E;
    return Error::success();
}

static Expected<std::unique_ptr<MemoryBuffer>> openImage(StringRef Path) {
    return errorOrToExpected(MemoryBuffer::getFile(Path, /*IsText=*/false, /*RequiresNullTerminator=*/false));
}

Expected<std::vector<std::string>> findDeviceImagePtx(StringRef Path) {
    Expected<std::unique_ptr<MemoryBuffer>> File = openImage(Path);
    if (!File)
        return File.takeError();
    StringRef Bytes = (*File)->getBuffer();
    if (identify_magic(Bytes) != file_magic::cuda_fatbinary)
        return std::vector<std::string>();
    PtxTexts Texts;
    std::string Text;
    const char *Problem = nullptr;
    const kesco_decompressor Zstd = decompressor(Text);
    const int Status = kesco_fatbinary_find_ptx(Bytes.data(), Bytes.size(), &Zstd, &Texts, &Problem);
    return Texts.get(Status, Problem);
}

Expected<std::vector<std::string>> findNvccPtx(StringRef File) {
    PtxTexts Texts;
    const char *Problem = nullptr;
    const int Status = kesco_nvcc_find_ptx(File.str().c_str(), &Texts, &Problem);
    return Texts.get(Status, Problem);
}

Error readDeviceImage(StringRef Path, kesco_summaries &Set) {
    Expected<std::unique_ptr<MemoryBuffer>> File = openImage(Path);
    if (!File)
        return File.takeError();
    StringRef Bytes = (*File)->getBuffer();
    if (identify_magic(Bytes) == file_magic::offload_binary)
        return readPackage(**File, Set);
    return readImage(Bytes, Set);
}

bool eraseSummaries(Module &M) {
    bool Erased = false;
    for (GlobalVariable &Global : M.globals()) {
        if (!Global.hasInitializer())
            continue;
        const auto *Bytes = dyn_cast<ConstantDataArray>(Global.getInitializer());
        if (!Bytes || !Bytes->getElementType()->isIntegerTy(8))
            continue;
        std::string Image = Bytes->getRawDataValues().str();
        if (kesco_summary_text_erase(Image.data(), Image.size()) == 0)
            continue;
        Global.setInitializer(
            ConstantDataArray::getRaw(Image, Bytes->getNumElements(), Bytes->getElementType()));
        Erased = true;
    }
    return Erased;
}

} // namespace kesco
