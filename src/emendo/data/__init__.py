"""Training pairs, encoded and batched."""
