"""`python -m mrtr_adapter.cli` is `mrtr`."""

from mrtr_adapter.cli import mrtr

if __name__ == "__main__":
    mrtr(prog_name="mrtr")
