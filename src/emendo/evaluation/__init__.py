"""How good an editor is: the field's metrics, from files or from an `Editor`. No torch."""
