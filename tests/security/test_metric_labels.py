"""Whatever paths are asked for, the figures for Prometheus stay few: only routes are labels."""

from tests.serving.conftest import client_of


def series(client):
    return {
        line.split(" ")[0]
        for line in client.get("/metrics").text.splitlines()
        if line.startswith("emendo_request_seconds_count")
    }


def test_paths_that_are_no_routes_make_no_series(editor):
    with client_of(editor, max_characters=100) as client:
        client.get("/health")
        before = len(series(client))
        for k in range(50):
            path = f"/v1/{chr(97 + k // 26)}{chr(97 + k % 26)}"
            client.get(path, headers={"Host": "evil.example"})
            client.post(path, headers={"Content-Length": "9" * 12})
            client.get(path)
            client.post(f"/v2/check/{path}", content=b"a" * 1_300_000)
            client.get(f"/page/{k}")
            client.request("ABC", path)
        found = series(client)
        assert len(found) - before < 8, found
        assert any('route="other"' in each for each in found)
