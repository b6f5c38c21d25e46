"""What a later round needs to go on: which locals ride in the state, and what it simply evaluates again."""
