"""The terminal: one file a verb, each parses and calls what any Python user could call."""
