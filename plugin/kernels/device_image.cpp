#include "plugin/kernels/device_image.h"

extern "C" {
#include "plugin/summary/summary_text.h"
}

#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/OffloadBinary.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cerrno>
#include <set>

using namespace llvm;

namespace kesco {

/// Names of the globals that hold summaries in device code begin so.
static constexpr char SummaryGlobal[] = "__kesco1_summary";

static Error readBytes(StringRef Bytes, kesco_summaries &Set) {
    size_t Found;
    const char *Problem = nullptr;
    int Status = kesco_summary_text_read(&Set, Bytes.data(), Bytes.size(), &Found, &Problem);
    if (Status == -EBADMSG)
        return createStringError(Problem);
    return Status ? createStringError("there is not enough memory") : Error::success();
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

namespace {

/// Cuts little-endian fields and ranges out of bytes; what is not there makes it fail.
struct Fields {
    StringRef Bytes;
    bool Failed = false;

    template <typename T>
    T at(size_t Offset) {
        Failed |= Offset + sizeof(T) > Bytes.size();
        if (Failed)
            return 0;
        return support::endian::read<T, endianness::little>(Bytes.data() + Offset);
    }

    StringRef range(uint64_t Offset, uint64_t Size) {
        Failed |= Offset > Bytes.size() || Size > Bytes.size() - Offset;
        if (Failed)
            return {};
        return Bytes.substr(Offset, Size);
    }
};

} // namespace

/// Flags of a fatbinary's part that is compressed.
static constexpr uint64_t CompressedByLz4 = 0x2000, CompressedByZstd = 0x8000;

static constexpr uint64_t MostBytes = uint64_t(1) << 32; ///< of a part; more is damage

/// What is in a part, in \p Storage where it is compressed.
static Expected<StringRef> partBytes(StringRef Payload, Fields Header, SmallVectorImpl<uint8_t> &Storage) {
    uint64_t Flags = Header.at<uint64_t>(0x28);
    if (!(Flags & (CompressedByLz4 | CompressedByZstd)))
        return Payload;
    if (!(Flags & CompressedByZstd) || !compression::zstd::isAvailable())
        return createStringError("it is compressed in a way that is not known");
    uint64_t Size = Header.at<uint64_t>(0x38);
    StringRef Compressed = Fields{Payload}.range(0, Header.at<uint32_t>(0x10));
    if (Header.Failed || Compressed.empty() || Size > MostBytes)
        return createStringError("it is damaged");
    if (Error E = compression::zstd::decompress(arrayRefFromStringRef(Compressed), Storage, Size))
        return std::move(E);
    return toStringRef(Storage);
}

static Error readPart(StringRef Payload, Fields Header, kesco_summaries &Set) {
    SmallVector<uint8_t, 0> Storage;
    Expected<StringRef> Bytes = partBytes(Payload, Header, Storage);
    return Bytes ? readBytes(*Bytes, Set) : Bytes.takeError();
}

using PartVisitor = function_ref<Error(StringRef Payload, Fields Header)>;

/// A fatbinary is a header of its size and that of what follows: parts, each behind a header of its own.
static Error visitParts(StringRef Bytes, PartVisitor Visit) {
    Fields File{Bytes};
    uint64_t At = File.at<uint16_t>(6);
    uint64_t End = At + File.at<uint64_t>(8);
    while (!File.Failed && At < End) {
        uint32_t HeaderSize = File.at<uint32_t>(At + 4);
        uint64_t Size = File.at<uint64_t>(At + 8);
        StringRef Header = File.range(At, HeaderSize), Payload = File.range(At + HeaderSize, Size);
        if (File.Failed || HeaderSize < 0x40)
            break;
        if (Error E = Visit(Payload, Fields{Header}))
            return E;
        At += HeaderSize + Size;
    }
    return File.Failed || At != End ? createStringError("it is damaged") : Error::success();
}

static Error readFatbinary(StringRef Bytes, kesco_summaries &Set) {
    return visitParts(Bytes,
                      [&](StringRef Payload, Fields Header) { return readPart(Payload, Header, Set); });
}

/// Kinds of parts.
static constexpr uint16_t IsPtx = 1, IsMachineCode = 2;

static Expected<std::vector<std::string>> findPtx(StringRef Bytes) {
    std::vector<std::string> Texts;
    std::set<uint32_t> WithPtx, Needed;
    bool Other = false;
    Error E = visitParts(Bytes, [&](StringRef Payload, Fields Header) -> Error {
        const auto Kind = Header.at<uint16_t>(0);
        const auto Target = Header.at<uint32_t>(0x1c);
        Other |= Kind != IsPtx && Kind != IsMachineCode;
        Needed.insert(Target);
        if (Kind != IsPtx)
            return Error::success();
        SmallVector<uint8_t, 0> Storage;
        Expected<StringRef> Text = partBytes(Payload, Header, Storage);
        if (!Text)
            return Text.takeError();
        WithPtx.insert(Target);
        Texts.push_back(Text->rtrim('\0').str());
        return Error::success();
    });
    if (E)
        return std::move(E);
    return Other || WithPtx != Needed ? std::vector<std::string>() : Texts;
}

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

Expected<std::vector<std::string>> findDeviceImagePtx(StringRef Path) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> File =
        MemoryBuffer::getFile(Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!File)
        return errorCodeToError(File.getError());
    StringRef Bytes = (*File)->getBuffer();
    return identify_magic(Bytes) == file_magic::cuda_fatbinary ? findPtx(Bytes) : std::vector<std::string>();
}

Error readDeviceImage(StringRef Path, kesco_summaries &Set) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> File =
        MemoryBuffer::getFile(Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!File)
        return errorCodeToError(File.getError());
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
