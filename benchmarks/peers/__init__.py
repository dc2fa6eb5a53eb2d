"""Other correctors with one interface: `connect()` returns a function from texts to texts."""
