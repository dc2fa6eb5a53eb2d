"""The command line: one file for each command, which parses and calls the Python API."""
