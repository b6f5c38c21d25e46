"""Where values come from and where they go within one function, on the standard library's `ast`."""
