# old_demo, Python 3.11
