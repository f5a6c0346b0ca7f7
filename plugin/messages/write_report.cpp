#include "plugin/messages/write_report.h"

#include "plugin/ir/locations.h"
#include "plugin/llvm_version.h"
#include "plugin/messages/report_region.h"
#include "plugin/plan/selection.h"
#include "plugin/report/dot.h"
#include "plugin/report/graphviz.h"
#include "plugin/report/plan_report.h"
#include "plugin/report/svg.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <cstdio>
#include <unistd.h>

using namespace llvm;

namespace kesco {

static SmallString<256> pathFrom(StringRef Folder, StringRef File) {
    SmallString<256> Result(sys::path::is_absolute(File) ? "" : Folder);
    sys::path::append(Result, File);
    return Result;
}

/// The file that the function's lines are in, where that is not \p Source.
static std::string fileElsewhere(const Function &F, StringRef Source) {
    const DISubprogram *Subprogram = F.getSubprogram();
    if (!Subprogram)
        return "";
    const StringRef Folder = Subprogram->getDirectory();
    return pathFrom(Folder, Subprogram->getFilename()) == pathFrom(Folder, Source)
               ? ""
               : fileFromHere(*Subprogram);
}

static unsigned lineOf(const SerialReason &Reason) {
    return Reason.Where ? Reason.Where.getLine() : 0;
}

static int beginFunction(kesco_report_builder *Builder, StringRef Source, const llvm::Function &Named) {
    std::string Elsewhere = fileElsewhere(Named, Source);
    int Status = kesco_report_begin_function(Builder, functionTitle(Named).c_str());
    if (Status == 0 && !Elsewhere.empty())
        Status = kesco_report_set_file(Builder, Elsewhere.c_str());
    return Status;
}

/// The line of \p Where, or, of what was inlined from other files, of the call in that of \p F.
static unsigned lineIn(const llvm::Function &F, const DebugLoc &Where) {
    const DISubprogram *Subprogram = F.getSubprogram();
    const DILocation *Next = Where.get();
    while (Next && Next->getInlinedAt() && Subprogram && Next->getFilename() != Subprogram->getFilename())
        Next = Next->getInlinedAt();
    return Next ? Next->getLine() : 0;
}

/// Says of \p Named what \p Others has, and ends the function.
static int endFunction(kesco_report_builder *Builder, const llvm::Function &Named,
                       const OtherFunctions &Others) {
    int Status = 0;
    for (const SerialFunction &Serial : Others.Serial)
        if (Status == 0 && Serial.first == &Named)
            Status = kesco_report_set_serial(Builder, lineOf(Serial.second), Serial.second.Text.c_str());
    for (const Lender &L : Others.Lenders)
        for (const Lender::Call &Call : L.Calls)
            if (Status == 0 && L.F == &Named)
                Status = kesco_report_add_lend(Builder, lineIn(Named, Call.Where), Call.Callee.c_str());
    return Status != 0 ? Status : kesco_report_end_function(Builder);
}

static int addFunction(kesco_report_builder *Builder, StringRef Source, const ScheduledFunction &Function,
                       const OtherFunctions &Others) {
    int Status = beginFunction(Builder, Source, *Function.Analysis.Named);
    for (const auto Report : {kesco_report_region, kesco_report_guards, kesco_report_claims})
        for (const ScheduledRegion &Scheduled : Function.Regions)
            if (Status == 0)
                Status = Report(Builder, Scheduled.R, &Scheduled);
    for (const Barrier &B : Function.Analysis.Barriers)
        if (Status == 0)
            Status = kesco_report_add_barrier(Builder, B.Line, B.Why.c_str());
    return Status != 0 ? Status : endFunction(Builder, *Function.Analysis.Named, Others);
}

/// A function that has no ops.
static int addWithoutOps(kesco_report_builder *Builder, StringRef Source, const llvm::Function &Named,
                         const OtherFunctions &Others) {
    int Status = beginFunction(Builder, Source, Named);
    return Status != 0 ? Status : endFunction(Builder, Named, Others);
}

static Error cannotWrite(StringRef What, StringRef Path, StringRef Why) {
    return createStringError("cannot write the " + What + " '" + Path + "': " + Why);
}

/// Why a file cannot be written, and what to do where its folder is missing.
static std::string whyNot(StringRef Path, int Status) {
    std::string Why = strerror(-Status);
    if (StringRef Folder = sys::path::parent_path(Path); Status == -ENOENT && !Folder.empty())
        Why += (": there is no folder '" + Folder + "', which would be made for a folder, '" + Folder +
                "/', or a pattern, '" + Folder + "/%s-%h" + sys::path::extension(Path) + "'")
                   .str();
    return Why;
}

/// One of the files that were asked for.
struct PlansFile {
    StringRef What; ///< for people
    StringRef Ending;
    StringRef Start; ///< what each begins with
    /// What stands before and after the name of the source file, in the beginning of each.
    StringRef Before, After;
};

static constexpr PlansFile ReportFile = {"report", ".json",
                                         "{\"version\": 1, \"source\": ", "\"source\": ", ", \"functions\""};
static constexpr PlansFile GraphFile = {"graph", ".dot", "digraph ", "\n  label=\"", "\\l"};
static constexpr PlansFile PictureFile = {"picture", ".svg", "<?xml ", "<title>", "</title>"};

/// The beginning of the file, where it is a plain one; empty where there is none.
static std::string beginningOf(const std::string &Path) {
    char Beginning[8192];
    FILE *File = sys::fs::is_regular_file(Path) ? fopen(Path.c_str(), "r") : nullptr;
    if (!File)
        return "";
    std::string Text(Beginning, fread(Beginning, 1, sizeof(Beginning), File));
    fclose(File);
    return Text;
}

/// The name of the source file whose plans a file of this kind, with that \p Beginning, has; empty where it
/// is none.
static std::string sourceIn(const PlansFile &Kind, StringRef Beginning) {
    StringRef Rest = Beginning.split(Kind.Before).second;
    return Rest.contains(Kind.After) ? Rest.split(Kind.After).first.trim('"').str() : "";
}

/// Files of other kinds may be a source or an input of the build, which nobody means to lose.
static Error refuseOther(const PlansFile &Kind, const PlansTarget &Target, const std::string &Path,
                         StringRef Beginning) {
    const bool IsPlain = !sys::fs::exists(Path) || sys::fs::is_regular_file(Path);
    if (IsPlain && !Target.Unit.Output.empty() && isSameFile(Path, Target.Unit.Output))
        return cannotWrite(Kind.What, Path, "the compiler writes its output there");
    if (Beginning.empty() || Beginning.starts_with(Kind.Start))
        return Error::success();
    return cannotWrite(
        Kind.What, Path,
        ("the file that is there is no " + Kind.What + "; give another name, or remove it").str());
}

/// Closes \p File after what \p Write wrote to it. \returns 0 or a negative errno.
static int writeAndClose(FILE *File, function_ref<int(FILE *)> Write) {
    if (!File)
        return -errno;
    int Status = Write(File);
    return fclose(File) != 0 && Status == 0 ? -errno : Status;
}

/// A new file beside the one at \p Path, to take its place; none for what is no plain file, and in a folder
/// that nothing can be added to. \p Path is made what links lead to.
static std::optional<sys::fs::TempFile> besideFile(SmallVectorImpl<char> &Path) {
    StringRef Given(Path.data(), Path.size());
    SmallString<256> Name(Given);
    if (sys::fs::exists(Given) && (!sys::fs::is_regular_file(Given) || sys::fs::real_path(Given, Name)))
        return std::nullopt;
    Path.assign(Name.begin(), Name.end());
    if (Name.str().contains('%')) // has a meaning in names of temporary files
        return std::nullopt;
    return expectedToOptional(
        sys::fs::TempFile::create(Name + ".%%%%%%%%.tmp", sys::fs::all_read | sys::fs::all_write));
}

/// Writes the file all at once where that can be, so that no reader and no other compilation sees half of it.
static Error writeWhole(StringRef What, StringRef Path, function_ref<int(FILE *)> Write) {
    SmallString<256> Final(Path);
    std::optional<sys::fs::TempFile> Temporary = besideFile(Final);
    int Status =
        writeAndClose(Temporary ? fdopen(dup(Temporary->FD), "w") : fopen(Final.c_str(), "w"), Write);
    Error E = Status == 0 ? Error::success() : cannotWrite(What, Path, whyNot(Path, Status));
    if (!Temporary)
        return E;
    return joinErrors(std::move(E), Status == 0 ? Temporary->keep(Final) : Temporary->discard());
}

/// Writes plans to the file of the kind that \p Asked names, if it names one.
static Error writeFile(const PlansFile &Kind, const PlansTarget &Target, StringRef Asked,
                       function_ref<int(FILE *)> Write) {
    if (Asked.empty())
        return Error::success();
    Expected<std::string> Path = reportPath(Asked, Kind.Ending, Target.Unit);
    if (!Path)
        return cannotWrite(Kind.What, Asked, toString(Path.takeError()));
    std::string Beginning = beginningOf(*Path), Before = sourceIn(Kind, Beginning);
    if (Error E = refuseOther(Kind, Target, *Path, Beginning))
        return E;
    if (Error E = writeWhole(Kind.What, *Path, Write))
        return E;
    if (!Before.empty() && Before != sourceIn(Kind, beginningOf(*Path)))
        Target.Replaced(*Path, Before);
    return Error::success();
}

static Error writePicture(const PlansTarget &Target, StringRef Asked, const kesco_report &Report) {
    kesco_drawings Drawings;
    char Message[KESCO_GRAPHVIZ_ERROR_SIZE];
    if (Asked.empty())
        return Error::success();
    if (kesco_graphviz_draw(&Report, &Drawings, Message) != 0)
        return cannotWrite("picture", Asked, Message);
    scope_exit Free([&] { kesco_drawings_free(&Drawings); });
    return writeFile(PictureFile, Target, Asked,
                     [&](FILE *File) { return kesco_svg_write(&Report, &Drawings, File); });
}

static int makeReport(kesco_report_builder *Builder, const UnitPaths &Unit,
                      ArrayRef<ScheduledFunction> Functions, const OtherFunctions &Others,
                      kesco_report &Report) {
    SmallPtrSet<const llvm::Function *, 16> Named;
    for (const ScheduledFunction &Function : Functions) {
        Named.insert(Function.Analysis.Named);
        if (int Status = addFunction(Builder, Unit.Source, Function, Others))
            return Status;
    }
    SmallSetVector<const llvm::Function *, 16> WithoutOps;
    for (const SerialFunction &Function : Others.Serial)
        WithoutOps.insert(Function.first);
    for (const Lender &L : Others.Lenders)
        WithoutOps.insert(L.F);
    WithoutOps.remove_if([&](const llvm::Function *F) { return Named.contains(F); });
    for (const llvm::Function *F : WithoutOps)
        if (int Status = addWithoutOps(Builder, Unit.Source, *F, Others))
            return Status;
    int Status = kesco_report_finish(Builder, Unit.Source.c_str(), &Report);
    Report.folder = Unit.Folder.empty() ? nullptr : Unit.Folder.c_str();
    return Status;
}

Error writePlans(const kesco_option_files &Asked, const PlansTarget &Target,
                 ArrayRef<ScheduledFunction> Functions, const OtherFunctions &Others) {
    kesco_report Report;
    kesco_report_builder *Builder = kesco_report_builder_create();
    scope_exit Destroy([&] { kesco_report_builder_destroy(Builder); });
    int Status = Builder ? makeReport(Builder, Target.Unit, Functions, Others, Report) : -ENOMEM;
    if (Status != 0)
        return createStringError("cannot report the plans: %s", strerror(-Status));
    Error E = writeFile(ReportFile, Target, Asked.report,
                        [&](FILE *File) { return kesco_report_write(&Report, File); });
    Report.function_count = Functions.size(); // those without ops have no picture
    E = joinErrors(std::move(E), writeFile(GraphFile, Target, Asked.dot,
                                           [&](FILE *File) { return kesco_dot_write(&Report, File); }));
    return joinErrors(std::move(E), writePicture(Target, Asked.svg, Report));
}

} // namespace kesco
