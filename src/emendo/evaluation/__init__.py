"""Measures editors with the usual metrics, from files or from an `Editor`. No torch."""
