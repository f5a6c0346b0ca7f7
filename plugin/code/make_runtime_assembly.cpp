//===- make_runtime_assembly.cpp - the runtime as the plugin carries it -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   make-runtime-assembly BITCODE ASSEMBLY
//
// Run by the build. Compiles the runtime, in which all names but the ABI's are local, to assembly that can
// stand in any module of the same target (host/embedded_runtime.h):
//
//   - Its first line is a comment of three words: the target's triple and the data layout, after '#'.
//   - All of it is one comdat group, of which a linker keeps the first. The ABI's functions are weak.
//   - Local names begin with __kesco1_rt or .L__kesco1_rt, so that they are no name of the program's.
//   - It is read once, however often it stands there: link-time optimisation puts modules together.
//   - It is in AT&T's syntax, whatever the module's is.
//   - It keeps to what any program may ask of its code: position-independent, and with landing places for
//     indirect branches (-fcf-protection).
//
//===----------------------------------------------------------------------===//

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

/// What the compiler that made \p M wrote down of itself and its options does not hold for the program.
static void dropModuleMetadata(Module &M) {
    for (NamedMDNode &Node : make_early_inc_range(M.named_metadata()))
        if (Node.getName() != "llvm.module.flags")
            Node.eraseFromParent();
}

static void group(Module &M) {
    Comdat *Group = M.getOrInsertComdat("__kesco1_runtime");
    for (GlobalObject &Object : M.global_objects()) {
        if (Object.isDeclaration())
            continue;
        Object.setComdat(Group);
        if (Object.hasInternalLinkage())
            Object.setName("__kesco1_rt." + Object.getName());
        else if (!Object.hasLocalLinkage())
            Object.setLinkage(GlobalValue::WeakAnyLinkage);
    }
}

static Expected<std::string> compile(Module &M) {
    std::string Why;
    const Target *Found = TargetRegistry::lookupTarget(M.getTargetTriple(), Why);
    if (!Found)
        return createStringError(Why);
    TargetOptions Options;
    Options.MCOptions.AsmVerbose = false;
    std::unique_ptr<TargetMachine> Machine(Found->createTargetMachine(
        M.getTargetTriple(), "", "", Options, Reloc::PIC_, std::nullopt, CodeGenOptLevel::Default));
    SmallString<0> Text;
    raw_svector_ostream Stream(Text);
    legacy::PassManager Passes;
    if (Machine->addPassesToEmitFile(Passes, Stream, nullptr, CodeGenFileType::AssemblyFile))
        return createStringError("the target cannot write assembly");
    Passes.run(M);
    return std::string(Text);
}

/// True for what speaks of the whole object and is not for the runtime to say.
static bool isOfObject(StringRef Line) {
    StringRef Word = Line.ltrim().split('\t').first;
    return Word == ".file" || Word == ".ident" || Word.starts_with(".addrsig");
}

/// The labels that a compiler makes up are all of the form .L...; those of two modules must differ.
static std::string withOwnLabels(StringRef Line) {
    std::string Result;
    bool IsText = false;
    for (size_t I = 0; I < Line.size(); ++I) {
        IsText ^= Line[I] == '"' && (I == 0 || Line[I - 1] != '\\');
        bool Begins = !IsText && Line.substr(I).starts_with(".L") && (I == 0 || !isAlnum(Line[I - 1]));
        Result += Begins ? ".L__kesco1_rt." : Line.substr(I, 1);
        I += Begins;
    }
    return Result;
}

/// True for the head of a section that says something of the object, and not of a function whose name begins
/// so.
static bool beginsNote(StringRef Line) {
    Line.consume_front("\t.section\t");
    Line.consume_front("\"");
    return Line.starts_with(".note");
}

static void write(raw_ostream &Out, const Module &M, StringRef Assembly) {
    const Triple Target(M.getTargetTriple());
    Out << "# " << Target.str() << ' ' << M.getDataLayoutStr() << '\n';
    if (Target.isX86())
        Out << "\t.att_syntax\n";
    Out << "\t.ifndef .L__kesco1_runtime\n\t.set .L__kesco1_runtime, 1\n";
    bool IsNote = false;
    for (StringRef Line : split(Assembly, '\n')) {
        if (Line.starts_with("\t.section"))
            IsNote = beginsNote(Line);
        if (!IsNote && !isOfObject(Line))
            Out << withOwnLabels(Line) << '\n';
    }
    Out << "\t.endif\n\t.text\n";
}

static int fail(const Twine &Why) {
    WithColor::error(errs(), "make-runtime-assembly") << Why << '\n';
    return 1;
}

int main(int Count, char **Arguments) {
    InitLLVM Init(Count, Arguments);
    if (Count != 3)
        return fail("expects the runtime's bitcode and the file to write");
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    LLVMContext Context;
    SMDiagnostic Problem;
    std::unique_ptr<Module> M = parseIRFile(Arguments[1], Problem, Context);
    if (!M)
        return fail(Problem.getMessage());
    dropModuleMetadata(*M);
    group(*M);
    Expected<std::string> Assembly = compile(*M);
    if (!Assembly)
        return fail(toString(Assembly.takeError()));
    std::error_code Error;
    ToolOutputFile Out(Arguments[2], Error, sys::fs::OF_Text);
    if (Error)
        return fail(Twine(Arguments[2]) + ": " + Error.message());
    write(Out.os(), *M, *Assembly);
    Out.keep();
    return 0;
}
