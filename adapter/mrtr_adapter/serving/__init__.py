"""Takes a server out of the file that makes it, and serves it: file → module → server → transport."""
