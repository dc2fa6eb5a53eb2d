"""Which tests concern which file: what pytest is given when the file is broken, the quick first.

Slow tests are left out where quicker ones notice the same bugs, which shortens a run of all files.
Fewer tests can only let more bugs live.
"""

_ALPHABET, _REFERENCE = "tests/ctc/test_alphabet.py", "tests/ctc/test_reference.py"
_BEAM, _LIKELIHOOD = "tests/ctc/test_beam.py", "tests/ctc/test_likelihood.py"
_EDITS, _LOSSLESS = "tests/text/test_edits.py", "tests/text/test_lossless.py"
# A tokenizer of each kind; those of real models are the same kinds, only larger.
_SMALL = ("-k", "not xlm-r and not bert-cased and not roberta and not trimmed")
_SENTENCES, _DOCUMENTS = "tests/inference/test_sentence_editor.py", "tests/inference/test_editor.py"
_NASTY = ("-k", "not nasty_files")
_BATCHES = ("-k", "not in_any_batch and not untrained_network")
_LOADING = "tests/inference/test_loading.py"
_GRAPHS = "tests/inference/test_graph_backend.py"
_PASSAGES = "tests/inference/test_passages.py"
_OPENING = "tests/inference/test_engines.py"
_CONFIDENCE = "tests/inference/test_confidence.py"
_SPELLING = "tests/inference/test_spelling.py"
_LOSS = ("tests/modeling/test_editing.py", "tests/parity/test_restricted.py", "tests/parity")
# Enumeration with few slots, and only of the loss that a file has a part in.
_FUSED = ("-k", "not nine_slots and not (enumeration and (flat or vanilla or factored))")
_EVERY_LOSS = ("-k", "not nine_slots and not (enumeration and factored)")
_JOBS = (
    *("tests/batch/test_jobs.py", "tests/batch/test_damage.py", "tests/batch/test_lease.py"),
    *("-k", "not second_driver and not (every_kind_of_file and (csv or tsv or txt or zst or gz))"),
)

CONCERNED: dict[str, tuple[str, ...]] = {
    "ctc/alphabet.py": (_ALPHABET, _REFERENCE),
    "ctc/beam.py": (_BEAM,),
    "ctc/collapse.py": (_REFERENCE,),
    "ctc/greedy.py": (_REFERENCE, "-k", "tie or greedy"),
    "ctc/likelihood.py": (_LIKELIHOOD,),
    "ctc/reference.py": (_REFERENCE, _LIKELIHOOD, _BEAM),
    "ctc/slots.py": (_ALPHABET,),
    "text/edits.py": ("tests/text/test_edited_text.py", _EDITS),
    "text/own_words.py": ("tests/text/test_own_words.py",),
    "text/rendering.py": ("tests/text/test_rendering.py", _EDITS, _LOSSLESS, *_SMALL),
    "text/tokenization.py": ("tests/text/test_tokenization.py", _EDITS, _LOSSLESS, *_SMALL),
    "inference/alignment.py": ("tests/inference/test_alignment.py",),
    "inference/alignment_drawing.py": ("tests/inference/test_alignment.py",),
    "inference/alternatives.py": ("tests/inference/test_alternatives.py",),
    "inference/backend.py": ("tests/inference/test_backend.py",),
    "inference/calibration.py": ("tests/evaluation/test_calibration.py", _SENTENCES, *_BATCHES),
    "inference/confidence.py": (_CONFIDENCE, "tests/inference/test_alternatives.py"),
    "inference/document.py": (
        *("tests/inference/test_document.py", _PASSAGES, _DOCUMENTS, *_NASTY),
    ),
    "inference/editor.py": ("tests/inference/test_wrong_texts.py", _PASSAGES, _DOCUMENTS, *_NASTY),
    "inference/editors.py": ("tests/inference/test_editors.py",),
    "inference/engines.py": (_OPENING,),
    "inference/graph_backend.py": (_GRAPHS,),
    "inference/graph_check.py": ("tests/inference/test_graph_check.py",),
    "inference/likelihoods.py": (*("tests/inference/test_likelihoods.py", _SPELLING, _CONFIDENCE),),
    "inference/loading.py": (
        *(_OPENING, "tests/inference/test_load_editors.py", _LOADING),
        *("-k", "not edits_are_those and not in_any_company"),
    ),
    "inference/mixed_document.py": ("tests/inference/test_editors.py",),
    "inference/onnx_backend.py": (_OPENING,),
    "inference/openvino_backend.py": (_OPENING,),
    "inference/sentence_cache.py": (
        *("tests/inference/test_sentence_cache.py", _DOCUMENTS, *_NASTY),
    ),
    "inference/sentence_editor.py": (_SPELLING, _SENTENCES, _CONFIDENCE, *_BATCHES),
    "inference/shapes.py": ("tests/inference/test_shapes.py", _GRAPHS),
    "inference/slot_scoring.py": (_CONFIDENCE, _SENTENCES, *_BATCHES),
    "inference/spelling.py": (_SPELLING,),
    "inference/steps.py": (_SENTENCES, *_BATCHES),
    "inference/text_types.py": ("tests/inference/test_wrong_texts.py",),
    "modeling/ctc_loss.py": (*_LOSS, *_EVERY_LOSS),
    "modeling/editing.py": ("tests/modeling/test_glancing.py", *_LOSS, *_EVERY_LOSS),
    "modeling/glancing.py": ("tests/modeling/test_glancing.py", "tests/modeling/test_editing.py"),
    "modeling/lexicon.py": ("tests/modeling/test_lexicon.py", *_LOSS, *_FUSED),
    "serving/access.py": (
        "tests/serving/test_access.py",
        *("tests/serving/test_settings.py", "tests/security/test_keys_file.py"),
        *("tests/security/test_routes.py", "tests/serving/test_native.py"),
    ),
    "serving/door.py": (
        "tests/serving/test_door.py",
        *("tests/security/test_routes.py", "tests/serving/test_native.py"),
        *("tests/security/test_errors.py", "tests/serving/languagetool/test_api.py"),
    ),
    "batch/fragment_editor.py": ("tests/batch/test_fragment_editor.py", *_JOBS),
    "batch/manifest.py": ("tests/batch/test_manifest.py", *_JOBS),
}
