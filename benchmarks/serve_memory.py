"""Memory of a server under the worst requests that it accepts, with a real model.

    python benchmarks/serve_memory.py --model BUNDLE [--short] [--backend onnx]

Sends one request of each kind after the other, with as many characters as a request may have
(--short: a tenth, and only the kinds that fill batches). `idle_mb`: memory after a few usual
requests, which includes everything that is loaded only once; `peak_mb`: the peak of the whole run;
`peak_NAME_mb`: the peak after each kind, in order; `bound_mb`: 1.3 times the idle memory plus
64 MB; `over_bound_mb`: how far the peak is above it; `refused`: requests that were not answered
with 200 because of the deadline or a limit.

Prints one JSON object on its last line.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import urlencode

from emendo.serving.schemas import MAX_ALIGNED
from served import serving

CHARACTERS = 200_000
# Longer than any of them takes: a request that is cut off needs less memory.
DEADLINE = 900
RUN_ON = "and the dog likes it so much that he never go away from it "
WORST = {
    "run_on": "This is " + RUN_ON * 4000,
    "long": ("The dog which " + "likes the cat that " * 10 + "sleep do not bark. ") * 2000,
    "errors": "He go to the the store and buyed a apple yesterday evening. " * 4000,
    "unlike": "".join(f"He {k} go to store number {k} and buyed {k} apple. " for k in range(5000)),
    "short": "".join(f"He go {k}. " for k in range(30_000)),
    "words": "teh dog " * 30_000,
    "misspelt": "".join(
        f"The {k} govverment yusually encarges diffrunt trafick in the countrisyde. "
        for k in range(4000)
    ),
    "rare": "zqxjvk wvutsq " * 15_000,
    "emoji": "😀 teh 👩‍👩‍👧 dog " * 15_000,
    "scripts": "ɐ̃ʒʘ ꙮ ₿ ⚕ ﷺ the dog likes " * 9000,
    "one_word": "a" * CHARACTERS,
    "punctuation": "-." * CHARACTERS,
}
SHORT = ("run_on", "long", "errors", "unlike", "misspelt", "rare", "scripts")


def asked(url, path, content):
    """Return the status of a request."""
    kind = "application/json" if path.startswith("/v1") else "application/x-www-form-urlencoded"
    request = urllib.request.Request(url + path, content.encode(), {"Content-Type": kind})
    try:
        with urllib.request.urlopen(request, timeout=2 * DEADLINE) as answer:
            answer.read()
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def all_ways(url, text):
    """Return the statuses of the three requests that run the network."""
    statuses = [
        asked(url, "/v1/edit", json.dumps({"text": text})),
        asked(url, "/v1/align", json.dumps({"text": text[:MAX_ALIGNED]})),
    ]
    return [*statuses, asked(url, "/v2/check", urlencode({"language": "en-US", "text": text}))]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, required=True, help="a bundle's folder")
    parser.add_argument("--short", action="store_true", help="a tenth of the text, for CI")
    parser.add_argument("--backend", default="onnx")
    parser.add_argument("--kinds", nargs="*", choices=list(WORST), help="only these")
    options = parser.parse_args()
    size = CHARACTERS // 10 if options.short else CHARACTERS
    kinds = options.kinds or (SHORT if options.short else WORST)
    figures, refused = {}, 0
    with tempfile.TemporaryDirectory() as name:
        engine = ("--backend", options.backend, "--deadline", DEADLINE, "--alternatives")
        with serving(options.model, Path(name), *engine) as server:
            all_ways(server.url, "The dog bark. He go to the store, and buyed a apple. " * 4)
            idle = server.rss_mb()
            for kind in kinds:
                statuses = all_ways(server.url, WORST[kind][:size])
                refused += sum(status != 200 for status in statuses)
                figures[f"peak_{kind}_mb"] = server.peak_mb()
                print(
                    kind, statuses, server.rss_mb(), server.peak_mb(), file=sys.stderr, flush=True
                )
            peak = server.peak_mb()
    bound = 1.3 * idle + 64
    figures |= {
        "idle_mb": idle,
        "peak_mb": peak,
        "bound_mb": bound,
        "over_bound_mb": peak - bound,
        "refused": refused,
    }
    print(json.dumps({key: round(float(value), 1) for key, value in figures.items()}))


if __name__ == "__main__":
    main()
