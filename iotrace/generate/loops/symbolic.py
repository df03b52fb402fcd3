"""How often nests refer to their arrays, as polynomials in parameters that a compiler does not know (section 4)."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

from iotrace.generate.loops.affine import Affine
from iotrace.generate.loops.description import Nest, Nests

Monomial = tuple[str, ...]
"""A product of names, in alphabetical order; the empty one is 1."""


@dataclass(frozen=True)
class Polynomial:
    """A sum of monomials times fractions."""

    terms: Mapping[Monomial, Fraction]

    @classmethod
    def of(cls, expression: Affine) -> "Polynomial":
        """Return an affine expression as a polynomial."""
        terms: dict[Monomial, Fraction] = {(): Fraction(expression.constant)}
        terms |= {(name,): Fraction(factor) for name, factor in expression.coefficients.items()}
        return cls(terms)._reduced()

    def __add__(self, other: "Polynomial") -> "Polynomial":
        names = {*self.terms, *other.terms}
        return Polynomial({term: self._factor(term) + other._factor(term) for term in names})._reduced()

    def __mul__(self, other: "Polynomial") -> "Polynomial":
        products: dict[Monomial, Fraction] = {}
        for term, factor in self.terms.items():
            for two, times in other.terms.items():
                key = tuple(sorted((*term, *two)))
                products[key] = products.get(key, Fraction(0)) + factor * times
        return Polynomial(products)._reduced()

    def scaled(self, factor: Fraction) -> "Polynomial":
        """Return the polynomial times a fraction."""
        return self * Polynomial({(): factor})

    def with_polynomials(self, values: Mapping[str, "Polynomial"]) -> "Polynomial":
        """Return the polynomial with the names in ``values`` replaced."""
        total = Polynomial({})
        for monomial, factor in self.terms.items():
            parts = (values.get(name, Polynomial({(name,): Fraction(1)})) for name in monomial)
            total += reduce(Polynomial.__mul__, parts, Polynomial({(): factor}))
        return total

    def at(self, values: Mapping[str, int]) -> Fraction:
        """Return its value; raises KeyError for a name without one."""
        return sum(
            (
                reduce(lambda product, name: product * values[name], monomial, factor)
                for monomial, factor in self.terms.items()
            ),
            Fraction(0),
        )

    def __str__(self) -> str:
        """Write the highest powers first: 9 n^2 - 36 n + 36."""
        ordered = sorted(self.terms.items(), key=lambda term: (-len(term[0]), term[0]))
        text = ""
        for monomial, factor in ordered:
            powers = {name: monomial.count(name) for name in dict.fromkeys(monomial)}
            names = " ".join(name if power == 1 else f"{name}^{power}" for name, power in powers.items())
            size = "" if abs(factor) == 1 and names else str(abs(factor))
            sign = ("-" if factor < 0 else "") if not text else (" - " if factor < 0 else " + ")
            text += sign + " ".join(part for part in (size, names) if part)
        return text or "0"

    def _factor(self, monomial: Monomial) -> Fraction:
        return self.terms.get(monomial, Fraction(0))

    def _reduced(self) -> "Polynomial":
        return Polynomial({term: factor for term, factor in self.terms.items() if factor})


def symbolic_counts(nests: Nests, unknown: frozenset[str], profile: bool = False) -> tuple[Polynomial, ...]:
    """Return the compiler's count for each array in the parameters that are ``unknown`` to it.

    References are multiplied by the trip counts of all loops around them; where a bound has an outer loop's index, its
    mean over that loop is taken, which is exact unless two inner loops have the same one. Loops are taken to run at
    least once. A conditional reference counts half, or with ``profile`` as often as its conditional holds.
    """
    known = {
        parameter.name: parameter.value for parameter in nests.parameters if parameter.name not in unknown
    }
    counts = [Polynomial({})] * len(nests.arrays)
    for nest in nests.nests:
        steps = _steps(nest, known)
        for reference in nest.references:
            weight = Fraction(nest.percent(reference, profile) * len(reference.at), 100)
            counts[reference.array] += steps.scaled(weight)
    iterations = Polynomial.of(Affine(0, {"iterations": 1}).with_values(known))
    return tuple(count * iterations for count in counts)


def _steps(nest: Nest, known: Mapping[str, int]) -> Polynomial:
    means: dict[str, Polynomial] = {}
    steps = Polynomial({(): Fraction(1)})
    for loop in nest.loops:
        first, last = (
            Polynomial.of(bound.with_values(known)).with_polynomials(means) for bound in loop.written
        )
        steps *= last + first.scaled(Fraction(-1)) + Polynomial({(): Fraction(1)})
        means[loop.index] = (first + last).scaled(Fraction(1, 2))
    return steps
