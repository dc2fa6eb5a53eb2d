"""Batches of few shapes."""

import numpy as np

from emendo.inference.shapes import few_rows, few_tokens, fill_columns, fill_rows


def test_sizes_are_few_and_never_much_larger():
    sizes = [few_rows(rows) for rows in range(1, 200)]
    assert sizes[:17] == [1, 2, 3, 4, 6, 6, 8, 8, 12, 12, 12, 12, 16, 16, 16, 16, 24]
    assert len(set(sizes)) == 16
    assert all(rows <= size <= 1.5 * rows for rows, size in enumerate(sizes, 1))
    assert [few_tokens(n, 20) for n in (1, 8, 9, 17, 20, 25)] == [8, 8, 16, 20, 20, 25]


def test_filling_keeps_what_is_there():
    array = np.arange(6).reshape(2, 3)
    filled = fill_rows(fill_columns(array, 5, 9), 4)
    first, second = [0, 1, 2, 9, 9], [3, 4, 5, 9, 9]
    assert filled.tolist() == [first, second, first, first]
    assert fill_rows(array, 2) is array
    assert fill_columns(array, 3, 9) is array
