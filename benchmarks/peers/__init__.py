"""Other people's correctors, all in one shape: `connect()` gives a function from texts to texts."""
