"""Positions as clients count them."""

from hypothesis import example, given
from hypothesis import strategies as st

from emendo.serving.utf16 import Utf16Positions


@given(st.text(alphabet="ae\u0301ß中😀𝒳\n"))
@example("😀a")
@example("a😀")
@example("😀😀 it")
def test_every_position_is_the_number_of_code_units_before_it(text):
    positions = Utf16Positions(text)
    for k in range(len(text) + 1):
        assert positions(k) == len(text[:k].encode("utf-16-le")) // 2
