"""What `mrtr demo` shows: an old handler whose server is killed between two of its questions."""
