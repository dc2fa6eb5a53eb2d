"""What comes out of the server is what comes out of the editor."""

import asyncio

import pytest

from emendo import load_editor, load_editors
from emendo.serving.service import EditingService
from emendo.serving.settings import ServerSettings
from emendo.serving.telemetry import Telemetry


@pytest.fixture(scope="module")
def document(edit_texts):
    paragraphs = [" ".join(edit_texts[k : k + 7]) for k in range(0, len(edit_texts), 7)]
    return "\n\n".join(paragraphs) + "\n\n`code` https://example.org 😀 and the dog\r\nlikes it."


def served(bundle, work, **settings):
    async def run():
        telemetry = Telemetry()
        editor = load_editors([bundle], backend="onnx", on_batch=telemetry.add_batch)
        service = EditingService(editor, ServerSettings(**settings), telemetry)
        service.scheduler.start()
        try:
            return await work(service)
        finally:
            await service.scheduler.close()

    return asyncio.run(run())


def test_a_text_is_edited_as_in_process(tiny_bundle, document, edit_texts):
    editor = load_editor(tiny_bundle, backend="onnx")
    texts = [document, *edit_texts[:60], "", "Ça va?", document[:300]]
    expected = [
        editor.edit(text, markup=markup, dictionary=["dogs,"])
        for text in texts
        for markup in ("plain", "markdown")
    ]

    async def all_at_once(service):
        found = await asyncio.gather(
            *(
                service.edit([text], markup=markup, dictionary=["dogs,"])
                for text in texts
                for markup in ("plain", "markdown")
            )
        )
        return [each for (each,) in found]

    async def together(service):
        return await service.edit(texts, dictionary=["dogs,"])

    assert sum(len(each.edits) for each in expected) > 100
    found = served(tiny_bundle, all_at_once, max_waiting=1000)
    assert found == expected
    assert [e.confidence for each in found for e in each.edits] == pytest.approx(
        [e.confidence for each in expected for e in each.edits], abs=1e-3
    )
    assert served(tiny_bundle, together) == expected[::2]


def test_a_stream_is_the_same_sentence_by_sentence(tiny_bundle, document):
    expected = load_editor(tiny_bundle, backend="onnx").edit(document)

    async def stream(service):
        seen = [each async for each in service.stream(document)]
        again = [each async for each in service.stream(document)]
        assert again == seen
        return seen

    seen = served(tiny_bundle, stream)
    assert len(seen) > 50
    assert tuple(edit for _, _, edits in seen for edit in edits) == expected.edits
    starts = [start for (start, _), _, _ in seen]
    assert starts == sorted(starts)


def test_figures_are_counted(tiny_bundle, document):
    async def work(service):
        await service.edit([document])
        await service.edit([document])
        return service._telemetry

    read = served(tiny_bundle, work).registry.get_sample_value
    of = {"model": "en"}
    misses, hits = (read("emendo_sentences_total", {"cache": c, **of}) for c in ("miss", "hit"))
    assert misses == hits > 50
    assert read("emendo_batch_sentences_sum", of) >= misses
    padding, count = (read(f"emendo_batch_padding_ratio_{name}", of) for name in ("sum", "count"))
    assert 0 < padding < count / 2
    assert read("emendo_queue_wait_seconds_count") == 1
    assert read("emendo_edits_total", {"type": "other", **of}) > 0
