"""What becomes of connections that a server has not accepted when it closes its port."""

import asyncio
import socket
import sys
import time

import pytest

uvloop = pytest.importorskip("uvloop")

from emendo.serving.backlog import accept_last

CALLERS = 60


class Greeter(asyncio.Protocol):
    """Says one word to whoever is let in, slowly, as a server with much to do."""

    def connection_made(self, transport):
        time.sleep(0.005)
        transport.write(b"hello")
        transport.close()


@pytest.fixture
def listening():
    with socket.create_server(("127.0.0.1", 0), backlog=2 * CALLERS) as listening:
        yield listening


@pytest.mark.parametrize("new_loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_all_are_accepted_before_the_port_is_closed(listening, new_loop):
    address = listening.getsockname()

    async def stop():
        loop = asyncio.get_running_loop()
        server = await loop.create_server(Greeter, sock=listening, backlog=2 * CALLERS)
        # The loop does not run meanwhile.
        callers = [socket.create_connection(address, timeout=10) for _ in range(CALLERS)]
        await accept_last([listening])
        server.close()
        await asyncio.sleep(0.1)
        return callers

    with asyncio.Runner(loop_factory=new_loop) as runner:
        callers = runner.run(stop())
    for caller in callers:
        with caller:
            assert caller.recv(9) == b"hello"


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's packet filter")
@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_a_caller_who_comes_after_them_gets_no_connection_that_would_be_lost(host):
    """He is refused as soon as the port is closed."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, 0), family=family)
    except OSError as error:
        pytest.skip(f"this machine has no {host}: {error}")
    with listening:
        address = listening.getsockname()[:2]
        asyncio.run(accept_last([listening]))
        with pytest.raises(TimeoutError):
            socket.create_connection(address, timeout=0.2)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address, timeout=5)


def test_callers_who_cannot_be_accepted_do_not_keep_the_server(listening):
    """Nobody accepts here, as where no more files may be open."""
    with socket.create_connection(listening.getsockname()):
        asyncio.run(asyncio.wait_for(accept_last([listening]), timeout=30))
