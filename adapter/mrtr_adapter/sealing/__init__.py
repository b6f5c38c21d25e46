"""How `requestState` is sealed: the token and the ring of keys."""
