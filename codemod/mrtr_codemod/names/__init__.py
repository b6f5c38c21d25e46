"""What a name in a source file stands for: by import, annotation, assignment and decorator, never by
spelling."""
