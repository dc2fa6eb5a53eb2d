import pytest
import torch

from emendo.modeling.precision import has_quick_bf16


@pytest.mark.parametrize(
    ("units", "expected"),
    [({}, False), ({"avx512_f": True, "avx512_bf16": False}, False), ({"amx_bf16": True}, True)],
)
def test_a_cpu_is_asked_for_its_units(monkeypatch, units, expected):
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: False)
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: units)
    assert has_quick_bf16() is expected


def test_an_older_torch_that_cannot_tell(monkeypatch):
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: False)
    monkeypatch.delattr(torch.cpu, "get_capabilities")
    assert not has_quick_bf16()
