"""From clean text to pairs: sentences with errors that people make, and what they should be."""
