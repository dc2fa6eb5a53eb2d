"""What a newcomer meets with `emendo serve`."""

import socket

import pytest

from tests.cli.test_edit import emendo
from tests.newcomer.terminal import Terminal
from tests.serving.conftest import free_port

pytest.importorskip("onnxruntime")
pytest.importorskip("fastapi")


def test_a_terminal_shows_the_address_to_open(tiny_bundle):
    port = free_port()
    with Terminal("serve", "-m", tiny_bundle, "--backend", "onnx", "--port", port) as terminal:
        terminal.wait_for(f"open http://127.0.0.1:{port}/ in a browser")
        with socket.create_connection(("127.0.0.1", port), timeout=10):
            pass
        terminal.interrupt()
        assert terminal.finish() == 0


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_used_port_is_told_in_one_line(tiny_bundle, host):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = emendo("serve", "-m", tiny_bundle, "--host", host, "--port", port)
    assert done.returncode == 2
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith(f"emendo: port {port} of {host} is in use")
    assert "--port" in line


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--backend", "there is no backend 'fast'; there is auto, onnx and openvino"),
        ("--precision", "there is no precision 'fast'; there is auto, fp32, bf16 and int8"),
    ],
)
def test_an_unknown_engine_is_told_in_one_line(tiny_bundle, option, said):
    done = emendo("serve", "-m", tiny_bundle, option, "fast")
    assert done.returncode == 2
    assert done.stderr.decode().splitlines() == [f"emendo: {said}"]


def test_a_host_that_is_none_is_told_in_one_line(tiny_bundle):
    done = emendo("serve", "-m", tiny_bundle, "--host", "no.such.host.invalid", "--no-auth")
    assert done.returncode == 2
    (line,) = done.stderr.decode().splitlines()
    assert "no.such.host.invalid" in line
