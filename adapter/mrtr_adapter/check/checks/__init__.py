"""The checks, one module for each thing that they look at."""
