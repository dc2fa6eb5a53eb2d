"""Makes training pairs from clean text: sentences with typical errors, and the originals."""
