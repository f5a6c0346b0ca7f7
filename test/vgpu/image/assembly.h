/*
 * Inline assembly while it becomes IR: assembly.cpp has its operands and registers as local variables, its
 * labels and guards as blocks; instructions.cpp has what the instructions do.
 */
#ifndef KESCO_TEST_VGPU_IMAGE_ASSEMBLY_H
#define KESCO_TEST_VGPU_IMAGE_ASSEMBLY_H

#include "image.h"

extern "C" {
#include "plugin/assembly/ptx.h"
}

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace vgpu {

/// A type of PTX: "s32" is {'s', 32}. Half precision is 'h', predicates are 'p'.
struct PtxType {
    char Class;
    unsigned Bits;

    bool isSigned() const {
        return Class == 's';
    }
    bool isReal() const {
        return Class == 'f';
    }
};

/// Nothing for what is no type.
std::optional<PtxType> parseType(llvm::StringRef Name);

/// An instruction, its opcode taken apart.
struct PtxInstruction {
    llvm::StringRef Name;                            ///< "ld"
    llvm::SmallVector<llvm::StringRef, 6> Modifiers; ///< the parts behind it that are no types
    llvm::SmallVector<PtxType, 2> Types;
    llvm::ArrayRef<kesco_ptx_operand> Operands;
    llvm::StringRef Opcode; ///< all of it

    bool has(llvm::StringRef Modifier) const;
};

class Assembly {
  public:
    Assembly(Image &Img, llvm::CallBase &Call);
    Assembly(const Assembly &) = delete;
    Assembly &operator=(const Assembly &) = delete;
    ~Assembly();

    /// Puts the IR in the place of the call. \returns whether it accesses memory although the call does not
    /// say so.
    bool lower();

    /// The value of an operand as \p Type; null if that is not modelled.
    llvm::Value *value(const kesco_ptx_operand &Operand, PtxType Type);

    /// How many elements an operand has; a register may be a vector.
    unsigned elements(const kesco_ptx_operand &Operand) const;

    /// That of one of its elements.
    llvm::Value *value(const kesco_ptx_operand &Operand, unsigned Element, PtxType Type);

    /// Gives an element of an operand a value of \p Type. Whether that is modelled.
    bool set(const kesco_ptx_operand &Operand, unsigned Element, llvm::Value *New, PtxType Type);

    /// Where an address in the state space leads, as a pointer; null if that is not modelled.
    llvm::Value *address(const kesco_ptx_operand &Operand, llvm::StringRef Space);

    /// The pointer that a number is as an address in the state space.
    llvm::Value *pointerTo(llvm::Value *Number, llvm::StringRef Space);

    llvm::Type *typeOf(PtxType Type);

    /// The type that an operand's first term has by itself; nothing for constants.
    std::optional<PtxType> ownType(const kesco_ptx_operand &Operand) const;

    bool isVolatile() const;

    /// To be said of instructions that touch memory other than by address().
    void accessesMemory() {
        AccessesMemory = true;
    }

    Image &I;
    llvm::IRBuilder<> B;

  private:
    struct Variable {
        llvm::AllocaInst *Place;
        PtxType Type;
    };

    /// Of the call, by number.
    struct CallOperands {
        std::vector<Variable> Given;
        std::vector<bool> InMemory;             ///< the text says where they lead
        llvm::SmallVector<unsigned, 4> Outputs; ///< numbers, in the order of the call's results
    };

    bool takeOperands();
    void takeRegisters();
    Variable makeVariable(PtxType Type);
    const Variable *variableOf(const kesco_ptx_term &Term, unsigned Lane = 0) const;
    bool isMemory(const kesco_ptx_operand &Operand) const;
    llvm::Value *constantOf(const kesco_ptx_term &Term, PtxType Type);
    llvm::Value *namedValue(llvm::StringRef Name, PtxType Type);
    llvm::Value *termValue(const kesco_ptx_term &Term, PtxType Type, unsigned Lane = 0);
    bool isVector(const kesco_ptx_operand &Operand) const;
    llvm::Value *converted(llvm::Value *V, PtxType From, PtxType To);
    void makeBlocks();
    void emit();
    void emit(const kesco_ptx_statement &Statement);
    void emitGuarded(const kesco_ptx_statement &Statement);
    bool emitInstruction(const kesco_ptx_statement &Statement);
    void jump(const kesco_ptx_statement &Statement, llvm::BasicBlock *Otherwise);
    void unmodelledHere(const llvm::Twine &What);
    void finish();
    llvm::Value *result();

    llvm::CallBase &Call;
    const llvm::InlineAsm &Asm;
    kesco_ptx Text = {};
    CallOperands Operands;
    std::vector<llvm::SmallVector<Variable, 1>> Registers; ///< by lane
    llvm::DenseMap<unsigned, llvm::BasicBlock *> Labels;   ///< by statement
    std::vector<llvm::AllocaInst *> Places;
    bool AccessesMemory = false;
};

/// instructions.cpp: emits what an instruction does. False if that is not modelled; nothing is left then but
/// code without effect.
bool emitInstruction(Assembly &A, const PtxInstruction &Instruction);

} // namespace vgpu

#endif
