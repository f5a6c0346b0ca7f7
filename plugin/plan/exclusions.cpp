#include "plugin/plan/exclusions.h"

#include "plugin/ir/kernel_stub.h"
#include "plugin/ir/off_mark.h"
#include "plugin/llvm_version.h"
#include "plugin/plan/selection.h"

#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/LineIterator.h"

using namespace llvm;

namespace kesco {

/// True if the lines of the list's section \p Name are for KeSCo; where that cannot be told, the list is
/// refused.
static bool isForUs(StringRef Name) {
    Expected<GlobPattern> Section = GlobPattern::create(Name);
    return !errorToBool(Section.takeError()) && Section->match("kesco");
}

/// Notes what is told of lines: those that LLVM's reader takes, and nothing here asks for, and names.
void Exclusions::readLines(const MemoryBuffer &File) {
    bool IsOurs = true;
    for (line_iterator Line(File, /*SkipBlanks=*/true, '#'); !Line.is_at_end(); ++Line) {
        StringRef Text = Line->trim();
        const auto [Prefix, Name] = Text.split(':');
        const auto Number = static_cast<unsigned>(Line.line_number());
        if (Text.consume_front("["))
            IsOurs = isForUs(Text.take_until([](char C) { return C == ']'; }));
        else if (!Text.empty())
            ++(IsOurs ? Ours : Others);
        if (!IsOurs || Text.empty() || Line->trim().starts_with("["))
            continue;
        if (Prefix != "fun" && Prefix != "src")
            Unknown.push_back({Number, Prefix.str()});
        else if (Prefix == "fun" && !Name.contains('*'))
            Plain.push_back({Number, Name.split('=').first.str()});
    }
}

Expected<Exclusions> Exclusions::read(const std::string &Path) {
    Exclusions Result;
    Result.Path = Path;
    if (Path.empty())
        return std::move(Result);
    ErrorOr<std::unique_ptr<MemoryBuffer>> File = MemoryBuffer::getFile(Path, /*IsText=*/true);
    if (!File)
        return createStringError("cannot read the exclude list '" + Path + "': " + File.getError().message());
    std::string Why;
    Result.List = SpecialCaseList::create(File->get(), Why);
    if (!Result.List)
        return createStringError("cannot read the exclude list '" + Path + "': " + Why +
                                 "; a line is fun:FUNCTION or src:FILE, with * for any characters");
    Result.readLines(**File);
    return std::move(Result);
}

/// The line of the list that has \p Name; 0 for none.
unsigned Exclusions::lineOf(StringRef Kind, StringRef Name) const {
    return lineIn(List->inSectionBlame("kesco", Kind, Name));
}

/// The mangled name of the kernel whose stub is \p F, or of F itself.
static std::string mangledName(const Function &F) {
    std::string Name = GlobalValue::dropLLVMManglingEscape(F.getName()).str();
    constexpr StringLiteral Stub = "__device_stub__";
    const size_t At = isKernelStub(F) ? Name.find(Stub) : std::string::npos;
    if (At == std::string::npos)
        return Name;
    /* _Z18__device_stub__incPfi is _Z3incPfi. */
    const size_t Digits = Name.find_last_not_of("0123456789", At - 1) + 1;
    if (At == 0 || Digits == At)
        return Name.erase(At, Stub.size());
    const size_t Length = std::stoul(Name.substr(Digits, At - Digits)) - Stub.size();
    return Name.replace(Digits, At + Stub.size() - Digits, std::to_string(Length));
}

std::array<std::string, 3> Exclusions::namesOf(const Function &F) {
    const std::string Mangled = mangledName(F), Title = demangle(Mangled);
    return {Mangled, Title, StringRef(Title).take_until([](char C) { return C == '(' || C == '<'; }).str()};
}

std::string Exclusions::whyListed(const Function &F, StringRef Source) const {
    unsigned Line = lineOf("src", Source);
    for (const std::string &Name : namesOf(F))
        Line = Line > 0 ? Line : lineOf("fun", Name);
    return Line > 0 ? "'" + Path + "' lists it in line " + std::to_string(Line) : "";
}

void Exclusions::mark(Module &M, StringRef Source, const SourceFacts &Facts) const {
    for (Function &F : M) {
        if (Facts.Off.contains(F.getName()))
            markOff(F, "it has the attribute 'kesco_off'");
        else if (List && (!F.isDeclaration() || isKernelStub(F)))
            if (std::string Why = whyListed(F, Source); !Why.empty())
                markOff(F, Why);
    }
}

} // namespace kesco
