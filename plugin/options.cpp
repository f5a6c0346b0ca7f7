#include "plugin/options.h"

#include "plugin/messages/report_path.h"
#include "plugin/option_list.h"
#include "plugin/plan/selection.h"
#include "runtime/nearest.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace kesco {

static ArrayRef<kesco_option> allOptions() {
    return {kesco_option_list, kesco_option_count};
}

/// More lanes than this never run at once: CUDA_DEVICE_MAX_CONNECTIONS is at most 32 (CUDA C++ Programming
/// Guide, "CUDA Environment Variables").
static constexpr unsigned MostLanes = 32;

static std::string withValue(const kesco_option &Option) {
    return Option.value ? std::string(Option.name) + "=" + Option.value : Option.name;
}

/// "; did you mean 'WORD'? ", or what stands there where no word is near.
static std::string suggest(StringRef Word, ArrayRef<const char *> Words, StringRef Otherwise) {
    const char *Nearest = kesco_nearest(Word.data(), Word.size(), Words.data(), Words.size());
    return Nearest ? ("; did you mean '" + Twine(Nearest) + "'? ").str() : Otherwise.str();
}

static Error unknownOption(StringRef Name) {
    SmallVector<const char *, 32> Names;
    std::string Known;
    for (const kesco_option &Option : allOptions()) {
        if (!Names.empty())
            Known += Names.size() + 1 < kesco_option_count ? ", " : " and ";
        Names.push_back(Option.name);
        Known += withValue(Option);
    }
    return createStringError("unknown plugin option '" + Name + "'" + suggest(Name, Names, ": ") +
                             "known options are " + Known);
}

/// The values that the option lists; none where it takes any of a kind.
static std::vector<std::string> valuesOf(StringRef Name) {
    std::vector<std::string> Values;
    for (const kesco_option &Option : allOptions())
        if (Name == Option.name && Option.value && StringRef(Option.value).contains('|'))
            for (StringRef Value : split(Option.value, '|'))
                Values.push_back(Value.str());
    return Values;
}

static Error badValue(StringRef Name, StringRef Value, const Twine &Allowed) {
    const std::vector<std::string> Values = valuesOf(Name);
    SmallVector<const char *, 4> Words;
    for (const std::string &Word : Values)
        Words.push_back(Word.c_str());
    return createStringError("invalid value '" + Value + "' for plugin option '" + Name + "'" +
                             suggest(Value, Words, ": ") + "allowed is " + Allowed);
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

static Error readMode(StringRef Name, StringRef Value, unsigned &Result) {
    std::optional<unsigned> Mode = StringSwitch<std::optional<unsigned>>(Value)
                                       .Case("auto", KESCO_MODE_AUTO)
                                       .Case("lanes", KESCO_MODE_LANES)
                                       .Case("serial", KESCO_MODE_SERIAL)
                                       .Case("graph", KESCO_MODE_GRAPH)
                                       .Default(std::nullopt);
    if (!Mode)
        return badValue(Name, Value, "auto, lanes, serial or graph");
    Result = *Mode;
    return Error::success();
}

static Error readPrefetching(StringRef Name, StringRef Value, Prefetching &Result) {
    std::optional<Prefetching> Prefetches = StringSwitch<std::optional<Prefetching>>(Value)
                                                .Case("auto", Prefetching::Auto)
                                                .Case("on", Prefetching::On)
                                                .Case("off", Prefetching::Off)
                                                .Default(std::nullopt);
    if (!Prefetches)
        return badValue(Name, Value, "auto, on or off");
    Result = *Prefetches;
    return Error::success();
}

static Error readStage(StringRef Name, StringRef Value, Options &Result) {
    bool *Shows = StringSwitch<bool *>(Value)
                      .Case("summaries", &Result.ShowsSummaries)
                      .Case("regions", &Result.ShowsRegions)
                      .Case("ir", &Result.ShowsCode)
                      .Default(nullptr);
    if (!Shows)
        return badValue(Name, Value, "summaries, regions or ir, or several of them with commas between");
    *Shows = true;
    return Error::success();
}

static Error readStages(StringRef Name, StringRef Value, Options &Result) {
    SmallVector<StringRef, 4> Stages;
    Value.split(Stages, ',');
    for (StringRef Stage : Stages)
        if (Error E = readStage(Name, Stage, Result))
            return E;
    return Error::success();
}

static Error readPlansPath(StringRef Name, StringRef Value, std::string &Result) {
    if (Value.empty())
        return badValue(Name, Value, "the name of a file to write");
    if (!isReportPattern(Value))
        return badValue(Name, Value, "a file, a folder, or a pattern with %s, %h and %%");
    Result = Value.str();
    return Error::success();
}

static Error readOption(StringRef Argument, Options &Result) {
    auto [Name, Value] = Argument.split('=');
    if (Name == "off" || Name == "strip-summaries" || Name == "help") {
        if (Argument.contains('='))
            return badValue(Name, Value, "no value");
        (Name == "off" ? Result.Off : Name == "help" ? Result.Help : Result.StripSummaries) = true;
    } else if (Name == "report" || Name == "dot" || Name == "svg") {
        return readPlansPath(Name, Value,
                             Name == "report" ? Result.ReportPath
                             : Name == "dot"  ? Result.DotPath
                                              : Result.SvgPath);
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
    } else if (Name == "across-calls") {
        return readSwitch(Name, Value, Result.AcrossCalls);
    } else if (Name == "sync-elision") {
        return readElision(Name, Value, Result.ElideSyncs.emplace());
    } else if (Name == "clocks") {
        if (Value != "observe" && Value != "ignore")
            return badValue(Name, Value, "observe or ignore");
        Result.ClocksObserve = Value == "observe";
    } else if (Name == "mode") {
        return readMode(Name, Value, Result.Mode);
    } else if (Name == "prefetch") {
        return readPrefetching(Name, Value, Result.Prefetches);
    } else if (Name == "show") {
        return readStages(Name, Value, Result);
    } else if (Name == "runtime") {
        if (Value != "embedded" && Value != "shared")
            return badValue(Name, Value, "embedded or shared");
        Result.EmbedsRuntime = Value == "embedded";
    } else if (Name == "annotation-warnings") {
        return readSwitch(Name, Value, Result.AnnotationWarnings);
    } else {
        return unknownOption(Name);
    }
    return Error::success();
}

std::string optionsHelp() {
    std::string Text = "KeSCo's options, each given as -fplugin-arg-kesco-NAME[=VALUE]:\n";
    for (const kesco_option &Option : allOptions()) {
        Text += "  " + withValue(Option) + "\n";
        for (StringRef Line : split(Option.help, '\n'))
            Text += "      " + Line.str() + "\n";
    }
    return Text;
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
