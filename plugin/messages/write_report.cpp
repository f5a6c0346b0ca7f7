#include "plugin/messages/write_report.h"

#include "plugin/plan/selection.h"
#include "plugin/report/dot.h"
#include "plugin/report/graphviz.h"
#include "plugin/report/plan_report.h"
#include "plugin/report/svg.h"

#include "llvm/ADT/ScopeExit.h"

#include <cerrno>
#include <cstdio>
#include <deque>

using namespace llvm;

namespace kesco {

static int addFunction(kesco_report_builder *Builder, const ScheduledFunction &Function) {
    std::string Name = functionTitle(*Function.Analysis.Named);
    int Status = kesco_report_begin_function(Builder, Name.c_str());
    for (const ScheduledRegion &Scheduled : Function.Regions) {
        SmallVector<kesco_report_site, 16> Sites;
        std::deque<std::string> Sources;
        for (const Op &O : Scheduled.R->Ops) {
            const char *Source = nullptr;
            if (O.SiteLine != 0 && (O.SiteLine != O.Line || O.SiteFile != O.File))
                Source = Sources.emplace_back(O.SiteFile + ":" + std::to_string(O.SiteLine)).c_str();
            Sites.push_back({O.Line, Source});
        }
        if (Status == 0)
            Status = kesco_report_append_region(Builder, Scheduled.Graph.get(), Scheduled.Plan.get(),
                                                Sites.data());
        if (Status == 0 && Scheduled.Placed)
            Status = kesco_report_note_placed(Builder);
    }
    for (const ScheduledRegion &Scheduled : Function.Regions)
        for (const auto &[Checked, Other] : Scheduled.R->Guards)
            if (Status == 0 && Scheduled.Plan->lane_count > 1)
                Status = kesco_report_add_guard(Builder, Scheduled.R->Objects[Checked].Name.c_str(),
                                                Scheduled.R->Objects[Other].Name.c_str());
    for (const Barrier &B : Function.Analysis.Barriers)
        if (Status == 0)
            Status = kesco_report_add_barrier(Builder, B.Line, B.Why.c_str());
    return Status != 0 ? Status : kesco_report_end_function(Builder);
}

static Error cannotWrite(StringRef What, StringRef Path, StringRef Why) {
    return createStringError("cannot write the " + What + " '" + Path + "': " + Why);
}

/// Writes \p What to \p Path, if that names a file, by \p Write.
static Error writeFile(StringRef What, const std::string &Path, function_ref<int(FILE *)> Write) {
    if (Path.empty())
        return Error::success();
    int Status = 0;
    FILE *File = fopen(Path.c_str(), "w");
    if (!File) {
        Status = -errno;
    } else {
        Status = Write(File);
        if (fclose(File) != 0 && Status == 0)
            Status = -errno;
    }
    return Status == 0 ? Error::success() : cannotWrite(What, Path, strerror(-Status));
}

static Error writePicture(const std::string &Path, const kesco_report &Report) {
    kesco_drawings Drawings;
    char Message[KESCO_GRAPHVIZ_ERROR_SIZE];
    if (Path.empty())
        return Error::success();
    if (kesco_graphviz_draw(&Report, &Drawings, Message) != 0)
        return cannotWrite("picture", Path, Message);
    scope_exit Free([&] { kesco_drawings_free(&Drawings); });
    return writeFile("picture", Path, [&](FILE *File) { return kesco_svg_write(&Report, &Drawings, File); });
}

static int makeReport(kesco_report_builder *Builder, const std::string &Source,
                      ArrayRef<ScheduledFunction> Functions, kesco_report &Report) {
    for (const ScheduledFunction &Function : Functions)
        if (int Status = addFunction(Builder, Function))
            return Status;
    return kesco_report_finish(Builder, Source.c_str(), &Report);
}

Error writePlans(const Options &Asked, StringRef Source, ArrayRef<ScheduledFunction> Functions) {
    kesco_report Report;
    kesco_report_builder *Builder = kesco_report_builder_create();
    scope_exit Destroy([&] { kesco_report_builder_destroy(Builder); });
    int Status = Builder ? makeReport(Builder, Source.str(), Functions, Report) : -ENOMEM;
    if (Status != 0)
        return createStringError("cannot report the plans: %s", strerror(-Status));
    Error E =
        writeFile("report", Asked.ReportPath, [&](FILE *File) { return kesco_report_write(&Report, File); });
    E = joinErrors(std::move(E), writeFile("graph", Asked.DotPath,
                                           [&](FILE *File) { return kesco_dot_write(&Report, File); }));
    return joinErrors(std::move(E), writePicture(Asked.SvgPath, Report));
}

} // namespace kesco
