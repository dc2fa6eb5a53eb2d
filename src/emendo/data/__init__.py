"""Training pairs: read, filtered, encoded, stored or streamed, batched, counted."""
