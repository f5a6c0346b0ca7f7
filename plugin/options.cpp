#include "plugin/options.h"

#include "plugin/plan/selection.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace kesco {

static const char KnownOptions[] =
    "known options are report=FILE, dot=FILE, svg=FILE, policy=fewest-predecessors|critical-path, "
    "profile=FILE, max-lanes=N, only=FUNCTION[,FUNCTION...], exclude=FILE, reorder=on|off, "
    "sync-elision=on|unchecked|off, "
    "clocks=observe|ignore, mode=auto|lanes|serial|graph, prefetch=on|off, annotation-warnings=on|off, "
    "runtime=embedded|shared, "
    "strip-summaries and off";

/// More lanes than this never run at once: CUDA_DEVICE_MAX_CONNECTIONS is at most 32 (CUDA C++ Programming
/// Guide, "CUDA Environment Variables").
static constexpr unsigned MostLanes = 32;

static Error badValue(StringRef Name, StringRef Value, const Twine &Allowed) {
    return createStringError("invalid value '" + Value + "' for plugin option '" + Name + "': allowed is " +
                             Allowed);
}

static Error readSwitch(StringRef Name, StringRef Value, bool &Result) {
    if (Value != "on" && Value != "off")
        return badValue(Name, Value, "on or off");
    Result = Value == "on";
    return Error::success();
}

static Error readElision(StringRef Name, StringRef Value, WaitOptions::Elision &Result) {
    if (Value == "unchecked") {
        Result = WaitOptions::Unchecked;
        return Error::success();
    }
    bool IsOn = false;
    if (errorToBool(readSwitch(Name, Value, IsOn)))
        return badValue(Name, Value, "on, unchecked or off");
    Result = IsOn ? WaitOptions::All : WaitOptions::None;
    return Error::success();
}

static Error readOption(StringRef Argument, Options &Result) {
    auto [Name, Value] = Argument.split('=');
    if (Name == "off" || Name == "strip-summaries") {
        if (Argument.contains('='))
            return badValue(Name, Value, "no value");
        (Name == "off" ? Result.Off : Result.StripSummaries) = true;
    } else if (Name == "report" || Name == "dot" || Name == "svg") {
        if (Value.empty())
            return badValue(Name, Value, "the name of a file to write");
        (Name == "report" ? Result.ReportPath
         : Name == "dot"  ? Result.DotPath
                          : Result.SvgPath) = Value.str();
    } else if (Name == "policy") {
        if (!kesco_policy_find(Value.str().c_str(), &Result.Plan.policy))
            return badValue(Name, Value, "fewest-predecessors or critical-path");
    } else if (Name == "profile") {
        if (Value.empty())
            return badValue(Name, Value, "the name of a file that a run with KESCO_PROFILE=FILE wrote");
        Result.ProfilePath = Value.str();
    } else if (Name == "max-lanes") {
        if (Value.getAsInteger(10, Result.Plan.max_lanes) || Result.Plan.max_lanes < 1 ||
            Result.Plan.max_lanes > MostLanes)
            return badValue(Name, Value, "a number from 1 to " + Twine(MostLanes));
    } else if (Name == "only") {
        if (Value.empty() || errorToBool(Selection::read(Value.str()).takeError()))
            return badValue(Name, Value, Selection::Allowed);
        Result.Only = Value.str();
    } else if (Name == "exclude") {
        if (Value.empty())
            return badValue(Name, Value, "the name of a file with lines fun:FUNCTION and src:FILE");
        Result.ExcludePath = Value.str();
    } else if (Name == "reorder") {
        return readSwitch(Name, Value, Result.Plan.reorder);
    } else if (Name == "sync-elision") {
        return readElision(Name, Value, Result.ElideSyncs.emplace());
    } else if (Name == "clocks") {
        if (Value != "observe" && Value != "ignore")
            return badValue(Name, Value, "observe or ignore");
        Result.ClocksObserve = Value == "observe";
    } else if (Name == "mode") {
        std::optional<unsigned> Mode = StringSwitch<std::optional<unsigned>>(Value)
                                           .Case("auto", KESCO_MODE_AUTO)
                                           .Case("lanes", KESCO_MODE_LANES)
                                           .Case("serial", KESCO_MODE_SERIAL)
                                           .Case("graph", KESCO_MODE_GRAPH)
                                           .Default(std::nullopt);
        if (!Mode)
            return badValue(Name, Value, "auto, lanes, serial or graph");
        Result.Mode = *Mode;
    } else if (Name == "prefetch") {
        return readSwitch(Name, Value, Result.Prefetches);
    } else if (Name == "runtime") {
        if (Value != "embedded" && Value != "shared")
            return badValue(Name, Value, "embedded or shared");
        Result.EmbedsRuntime = Value == "embedded";
    } else if (Name == "annotation-warnings") {
        return readSwitch(Name, Value, Result.AnnotationWarnings);
    } else {
        return createStringError("unknown plugin option '" + Name + "': " + KnownOptions);
    }
    return Error::success();
}

Expected<Options> parseOptions(ArrayRef<std::string> Arguments) {
    Options Result;
    Result.Plan.policy = KESCO_POLICY_FEWEST_PREDECESSORS;
    Result.Plan.max_lanes = MostLanes;
    Result.Plan.reorder = true;
    for (const std::string &Argument : Arguments)
        if (Error E = readOption(Argument, Result))
            return std::move(E);
    return Result;
}

} // namespace kesco
