//===- opt_pass.cpp - the host pass for opt -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the host pass (host_pass.h) alone, on IR written by hand, so that tests of it need no CUDA source:
//
//   opt -load-pass-plugin=libkesco_opt.so -passes='kesco<image=FILE;report=FILE>' -S
//   FILE.ll
//
// In the brackets stand the plugin's options, and image=FILE for a device image. What the pass finds comes
// out in the report and in remarks (-pass-remarks=kesco and its kin). The runtime is not added. Clang is not
// there, so whatever only Clang could say ends opt: warnings, and errors of launches.
//
//===----------------------------------------------------------------------===//

#include "plugin/driver/host_pass.h"
#include "plugin/llvm_version.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Passes/PassBuilder.h"
#include KESCO_PASS_PLUGIN_H

using namespace llvm;

static bool addHostPass(StringRef Name, ModulePassManager &Passes, ArrayRef<PassBuilder::PipelineElement>) {
    if (Name != "kesco" && !(Name.consume_front("kesco<") && Name.consume_back(">")))
        return false;
    kesco::Compilation Unit;
    std::vector<std::string> Arguments;
    for (StringRef Argument : split(Name == "kesco" ? "" : Name, ';')) {
        if (Argument.consume_front("image="))
            Unit.DeviceImages.push_back(Argument.str());
        else if (!Argument.empty())
            Arguments.push_back(Argument.str());
    }
    Expected<kesco::Options> Asked = kesco::Options::read(Arguments);
    if (!Asked) {
        errs() << "kesco: " << toString(Asked.takeError()) << "\n";
        return false;
    }
    Unit.Asked = *Asked;
    Unit.Facts = std::make_shared<kesco::SourceFacts>();
    Unit.Asked.annotation_warnings = false;
    Unit.Optimises = true;
    Passes.addPass(kesco::HostPass(std::move(Unit)));
    return true;
}

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
    return {LLVM_PLUGIN_API_VERSION, "kesco", "",
            [](PassBuilder &Builder) { Builder.registerPipelineParsingCallback(addHostPass); }};
}
