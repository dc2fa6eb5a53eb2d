"""Numbers that text, alignments and training share."""

NO_LABEL = -3
"""In `keep_ids`: a source token that KEEP cannot copy, because it is an edge or padding."""
IGNORE = -100
"""In `labels`: padding."""
