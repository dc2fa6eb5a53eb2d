"""Corpora: reads files of any size and writes Parquet with edits, each row once, despite failures.

Other engines call `edit_batches`; `run_job` does a whole job.
"""

from emendo.errors import require

require("emendo.batch", "batch", "pyarrow", "fsspec")

from emendo.batch.record_batches import EditedBatch, RowSettings, edit_batches

__all__ = ["EditedBatch", "RowSettings", "edit_batches"]
