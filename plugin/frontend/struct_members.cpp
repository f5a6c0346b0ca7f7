#include "plugin/frontend/struct_members.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/RecordLayout.h"
#include "llvm/ADT/DenseMap.h"

using namespace clang;

namespace kesco {

namespace {

constexpr size_t MostNames = 1024;

class MemberFinder {
  public:
    explicit MemberFinder(const ASTContext &Context) : Context(Context) {
    }

    void visitRecord(const RecordDecl *Record, CharUnits At, const std::string &Path) {
        Record = Record->getDefinition();
        if (!Record || Record->isInvalidDecl() || Record->isDependentType())
            return;
        const ASTRecordLayout &Layout = Context.getASTRecordLayout(Record);
        const auto *Class = dyn_cast<CXXRecordDecl>(Record);
        if (Class)
            for (const CXXBaseSpecifier &Base : Class->bases())
                if (const auto *Parent = Base.getType()->getAsCXXRecordDecl(); Parent && !Base.isVirtual())
                    visitRecord(Parent, At + Layout.getBaseClassOffset(Parent), Path);
        const llvm::DenseMap<const FieldDecl *, std::string> Captures = capturesOf(Class);
        for (const FieldDecl *Field : Record->fields()) {
            if (Field->isBitField())
                continue;
            auto Captured = Captures.find(Field);
            std::string Name = Captured == Captures.end() ? Field->getNameAsString() : Captured->second;
            uint64_t Offset = Layout.getFieldOffset(Field->getFieldIndex());
            visit(Field->getType(), At + Context.toCharUnitsFromBits(static_cast<int64_t>(Offset)),
                  joined(Path, Name));
        }
    }

    StructMembers Result;

  private:
    using Names = std::map<unsigned, std::string>;

    static void add(Names &To, CharUnits At, const std::string &Path) {
        if (To.size() < MostNames)
            To.try_emplace(static_cast<unsigned>(At.getQuantity()), Path);
    }

    /// The members of an anonymous struct are those of the struct around it.
    static std::string joined(const std::string &Path, const std::string &Name) {
        return Path.empty() || Name.empty() ? Path + Name : Path + "." + Name;
    }

    static llvm::DenseMap<const FieldDecl *, std::string> capturesOf(const CXXRecordDecl *Class) {
        llvm::DenseMap<const FieldDecl *, std::string> Names;
        if (!Class || !Class->isLambda())
            return Names;
        llvm::DenseMap<const ValueDecl *, FieldDecl *> Captures;
        FieldDecl *This = nullptr;
        Class->getCaptureFields(Captures, This);
        for (const auto &[Variable, Field] : Captures)
            Names[Field] = Variable->getNameAsString();
        if (This)
            Names[This] = "this";
        return Names;
    }

    void visit(QualType Type, CharUnits At, const std::string &Path) {
        if (Result.Pointers.size() >= MostNames)
            return;
        Type = Type.getCanonicalType();
        if (Type->isAnyPointerType() || Type->isReferenceType())
            add(Result.Pointers, At, Path);
        else if (Type->isIntegralOrEnumerationType())
            add(Result.Integers, At, Path);
        else if (const RecordDecl *Record = Type->getAsRecordDecl())
            visitRecord(Record, At, Path);
        else if (const auto *Array = Context.getAsConstantArrayType(Type))
            visitArray(*Array, At, Path);
    }

    void visitArray(const ConstantArrayType &Array, CharUnits At, const std::string &Path) {
        CharUnits Size = Context.getTypeSizeInChars(Array.getElementType());
        for (uint64_t I = 0; I < Array.getZExtSize() && I < MostNames; ++I)
            visit(Array.getElementType(), At + Size * static_cast<int64_t>(I),
                  Path + "[" + std::to_string(I) + "]");
    }

    const ASTContext &Context;
};

} // namespace

StructMembers structMembers(QualType Type, const ASTContext &Context) {
    MemberFinder Finder(Context);
    if (const RecordDecl *Record = Type->getAsRecordDecl())
        Finder.visitRecord(Record, CharUnits::Zero(), "");
    return std::move(Finder.Result);
}

} // namespace kesco
