"""Charts as files, drawn with matplotlib: one module per kind of picture of `tensorloom-plot`."""
