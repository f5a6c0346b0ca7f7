#include "plugin/host/write_report.h"

#include "plugin/host/selection.h"

extern "C" {
#include "plugin/report/plan_report.h"
}

#include "llvm/ADT/ScopeExit.h"

#include <cerrno>
#include <cstdio>

using namespace llvm;

namespace kesco {

static int addFunction(kesco_report_builder *Builder, const ScheduledFunction &Function) {
    std::string Name = functionTitle(*Function.Analysis.Named);
    int Status = kesco_report_begin_function(Builder, Name.c_str());
    for (const ScheduledRegion &Scheduled : Function.Regions) {
        SmallVector<kesco_report_site, 16> Sites;
        for (const Op &O : Scheduled.R->Ops)
            Sites.push_back({O.Kind.c_str(), O.Line});
        if (Status == 0)
            Status = kesco_report_append_region(Builder, Scheduled.Graph.get(), Scheduled.Plan.get(),
                                                Sites.data());
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

static int writeTo(FILE *File, const std::string &Source, ArrayRef<ScheduledFunction> Functions) {
    kesco_report_builder *Builder = kesco_report_builder_create();
    if (!Builder)
        return -ENOMEM;
    scope_exit Destroy([&] { kesco_report_builder_destroy(Builder); });
    for (const ScheduledFunction &Function : Functions)
        if (int Status = addFunction(Builder, Function))
            return Status;
    kesco_report Report;
    if (int Status = kesco_report_finish(Builder, Source.c_str(), &Report))
        return Status;
    return kesco_report_write(&Report, File);
}

Error writeReport(StringRef Path, StringRef Source, ArrayRef<ScheduledFunction> Functions) {
    int Status = 0;
    FILE *File = fopen(Path.str().c_str(), "w");
    if (!File) {
        Status = -errno;
    } else {
        Status = writeTo(File, Source.str(), Functions);
        if (fclose(File) != 0 && Status == 0)
            Status = -errno;
    }
    if (Status == 0)
        return Error::success();
    return createStringError("cannot write the report '" + Path + "': " + strerror(-Status));
}

} // namespace kesco
