"""What a run found, in the formats that it can be shown in."""
