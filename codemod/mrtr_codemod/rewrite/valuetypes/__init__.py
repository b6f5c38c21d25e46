"""Types of locals: what they are, as far as the source tells, and whether JSON carries them faithfully."""
