"""What users hand over in files and options: read here, and what is wrong with it told by file, line and place."""
