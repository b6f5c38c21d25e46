"""`mrtr check`: how a live server conducts Multi Round-Trip Requests, seen from outside."""
