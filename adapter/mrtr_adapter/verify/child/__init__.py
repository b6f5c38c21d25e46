"""What runs in the fresh process: work → the server's module → one call or round → what was seen."""
