"""Studies: many runs of one testbench, asked for by a YAML file and run by Snakemake. docs/studies.md is the user's page.

    study_file   the YAML file, as it stands
    plan         its points and their runs, each checked against the options that the program has
    directory    what a study keeps on the disk, and which of its runs are published
    start        one start of Snakemake over the runs that are missing
    run_batch    a job of Snakemake: some runs, one behind the other, each published when it is whole
    results      the table of all runs, as CSV and Parquet
    pareto       which points no other is better than

Snakemake reads Snakefile; profiles/ holds those that --profile knows by name. YAML is read here alone.
"""
