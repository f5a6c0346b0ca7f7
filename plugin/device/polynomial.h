//===- polynomial.h - integers as far as a launch says them -------------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Polynomials with 64-bit coefficients over atoms: what a launch gives (scalar arguments, sizes of grid and
// block), and the least, the greatest and the quotient of polynomials. They stand for integers without
// bounds. Sums are kept multiplied out, so that what is equal is the same and differences cancel.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_DEVICE_POLYNOMIAL_H
#define KESCO_PLUGIN_DEVICE_POLYNOMIAL_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kesco {

class Polynomial {
  public:
    /// A product of atoms, ascending.
    using Product = llvm::SmallVector<unsigned, 4>;

    /// Zero.
    Polynomial() = default;

    /// One of which nothing is known, as what is computed with it.
    static Polynomial unknown() {
        Polynomial Result;
        Result.Known = false;
        return Result;
    }

    bool isKnown() const {
        return Known;
    }

    bool operator==(const Polynomial &Other) const {
        return Known && Other.Known && Terms == Other.Terms;
    }

  private:
    friend class Algebra;
    bool Known = true;
    std::map<Product, int64_t> Terms; ///< coefficients, none of which is zero
};

class Algebra {
  public:
    using Wide = __int128;

    Polynomial number(int64_t Value);
    Polynomial argument(unsigned Parameter, unsigned Offset, unsigned Bits); ///< a signed integer
    Polynomial blockSize(unsigned Axis);
    Polynomial gridSize(unsigned Axis);

    /// A number of which nothing is known yet: for induction.
    Polynomial hypothesis();
    bool mentions(const Polynomial &P, const Polynomial &Hypothesis) const;

    /// \p P with \p By in the place of \p Hypothesis; unknown where that stands within an atom.
    Polynomial substitute(const Polynomial &P, const Polynomial &Hypothesis, const Polynomial &By);

    Polynomial add(const Polynomial &A, const Polynomial &B);
    Polynomial subtract(const Polynomial &A, const Polynomial &B);
    Polynomial multiply(const Polynomial &A, const Polynomial &B);
    Polynomial least(const Polynomial &A, const Polynomial &B);
    Polynomial greatest(const Polynomial &A, const Polynomial &B);
    Polynomial quotient(const Polynomial &A, int64_t By); ///< rounded down; \p By is positive

    /// Of two that are seen to be 0 or more, rounded down; 0 where \p B is 0.
    Polynomial ratio(const Polynomial &A, const Polynomial &B);

    /// True if \p P is seen to be 0 or more, whatever the launch.
    bool isNonNegative(const Polynomial &P);

    /// True if \p P is seen to be less than 0, whatever the launch.
    bool isNegative(const Polynomial &P) const;

    /// The one number that \p P is, if it is one.
    static std::optional<int64_t> asNumber(const Polynomial &P);

    /// As range.h has it.
    std::string text(const Polynomial &P) const;

  private:
    struct Atom {
        enum Kind { Leaf, Least, Greatest, Quotient, Ratio, Hypothesis };
        Kind What;
        std::string Text; ///< of a Leaf
        Wide Low, High;   ///< bounds, whatever the launch
        Polynomial A, B;  ///< operands of the others
        int64_t By = 0;   ///< of a Quotient
    };

    Polynomial leaf(std::string Text, Wide Low, Wide High);
    Polynomial atom(const std::string &Key, Atom New);
    Polynomial choice(Atom::Kind What, const Polynomial &A, const Polynomial &B);
    std::pair<Wide, Wide> boundsOf(const Polynomial &P) const;
    bool isNonNegative(const Polynomial &P, unsigned Depth);
    std::optional<unsigned> findChoice(const Polynomial &P, bool TakesBoth) const;
    bool mentions(const Polynomial &P, unsigned Hypothesis) const;
    unsigned onlyAtom(const Polynomial &P) const;
    Polynomial replace(const Polynomial &P, unsigned Atom, const Polynomial &By);

    std::vector<Atom> Atoms;
    llvm::StringMap<unsigned> Numbers; ///< of atoms, by what they are
};

} // namespace kesco

#endif
