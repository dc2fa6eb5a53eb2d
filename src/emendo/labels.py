"""The one number that text and alignments must agree on without knowing each other."""

NO_LABEL = -1
"""In `keep_ids`: a source token that KEEP cannot copy, because it is an edge of the sentence."""
