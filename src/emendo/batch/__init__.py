"""Corpora: files of any size in, Parquet with edits out, each row once, also after failures.

`edit_batches` is the middle, for other engines to call; `run_job` is the whole.
"""

from emendo.errors import require

require("emendo.batch", "batch", "pyarrow", "fsspec")

from emendo.batch.record_batches import EditedBatch, RowSettings, edit_batches

__all__ = ["EditedBatch", "RowSettings", "edit_batches"]
