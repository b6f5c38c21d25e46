"""What a server keeps of its flows in a store: single use, and journals that are too large to travel."""
