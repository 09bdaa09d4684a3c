"""Charts as files, drawn with matplotlib: each module has what one kind of `tensorloom-plot` draws of runs."""
