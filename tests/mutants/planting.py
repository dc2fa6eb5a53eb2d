"""Small deliberate bugs, one at a time, as cosmic-ray makes them."""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator

if TYPE_CHECKING:
    from collections.abc import Iterator

# One or two ways to break each thing: cosmic-ray has a dozen for every `+`, and what kills one of
# them kills the others.
BINARY = (
    *("Add_Sub", "Sub_Add", "Mul_Add", "Div_Mul", "FloorDiv_Mul", "Mod_Add", "Pow_Mul"),
    *("BitOr_BitAnd", "BitAnd_BitOr", "LShift_RShift", "RShift_LShift"),
)
COMPARISON = (
    *("Eq_NotEq", "NotEq_Eq", "Is_IsNot", "IsNot_Is", "Lt_LtE", "Lt_GtE", "LtE_Lt", "LtE_Gt"),
    *("Gt_GtE", "Gt_LtE", "GtE_Gt", "GtE_Lt"),
)
OPERATORS = (
    *(f"core/ReplaceBinaryOperator_{name}" for name in BINARY),
    *(f"core/ReplaceComparisonOperator_{name}" for name in COMPARISON),
    *(f"core/ReplaceUnaryOperator_Delete_{name}" for name in ("USub", "Not", "Invert")),
    *("core/AddNot", "core/ReplaceTrueWithFalse", "core/ReplaceFalseWithTrue"),
    *("core/ReplaceAndWithOr", "core/ReplaceOrWithAnd"),
    *("core/ReplaceBreakWithContinue", "core/ReplaceContinueWithBreak"),
    *("core/ExceptionReplacer", "core/NumberReplacer", "core/ZeroIterationForLoop"),
)


@dataclass(frozen=True)
class Mutant:
    """One bug in one place."""

    file: str
    """Below src/emendo."""
    line: int
    text: str
    """The line as it is."""
    operator: str
    number: int
    """Which of its operator's in this file."""
    twin: int
    """Which of those with the same line and operator in this file."""

    @property
    def rank(self) -> str:
        """Its place in an order that has nothing to do with the files."""
        named = (self.file, self.text, self.operator, str(self.twin))
        return hashlib.sha256("\n".join(named).encode()).hexdigest()

    def source(self, code: str) -> str:
        """Return the file with the bug in it, or the file if the bug cannot be compiled."""
        source = mutate_code(code, get_operator(self.operator)(), self.number)
        try:
            compile(source, self.file, "exec")
        except SyntaxError:
            return code
        return source


def name_of(mutant: Mutant, code: str, source: str) -> tuple[str, str, str]:
    """Return what the list of survivors knows a mutant by, wherever its line has moved."""
    for was, now in zip(code.splitlines(), source.splitlines(), strict=False):
        if was != now:
            return mutant.file, was.strip(), now.strip()
    raise AssertionError(f"nothing was changed in {mutant}")


def plant(file: str, code: str) -> Iterator[Mutant]:
    """Yield every mutant of a file, without making them."""
    left_out = _left_out(code)
    lines = code.splitlines()
    nodes = list(ast_nodes(get_ast(code)))
    for name in OPERATORS:
        operator = get_operator(name)()
        twins: Counter[str] = Counter()
        positions = [place for node in nodes for place in operator.mutation_positions(node)]
        for number, ((line, column), _) in enumerate(positions):
            if any(start <= (line, column) < end for start, end in left_out):
                continue
            text = lines[line - 1].strip()
            yield Mutant(file, line, text, name, number, twins[text])
            twins[text] += 1


def _left_out(code: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return where annotations, imports for types, and checks that `zip` makes are.

    None of them does anything in a program that is right.
    """
    found: list[ast.AST | None] = []
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.AnnAssign(annotation=part) | ast.arg(annotation=part):
                found.append(part)
            case ast.FunctionDef(returns=part) | ast.AsyncFunctionDef(returns=part):
                found.append(part)
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                found.append(node)
            case ast.Call(
                func=ast.Name(id="zip"), keywords=[ast.keyword(arg="strict", value=part)]
            ):
                found.append(part)
    return [
        ((part.lineno, part.col_offset), (part.end_lineno, part.end_col_offset))
        for part in found
        if part is not None
    ]
