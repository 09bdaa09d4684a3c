"""Studies: many runs of one testbench, described by a YAML file and run by Snakemake. The user's page is
docs/studies.md.

    study_file   the YAML file, not yet checked
    template     the model whose keys or ${parameters} the points set
    plan         its points and their runs, each checked against the program's options
    directory    the files of a study, and its published runs
    start        one start of Snakemake over the missing runs
    run_batch    a Snakemake job: some runs, one after the other, each published when it is complete
    results      the table of all runs, as CSV and Parquet
    published    what a study has written, for its page, its pictures and its claim
    claim        a claim of a paper, and the verdict that follows from the points
    pareto       the Pareto front

Snakemake reads Snakefile; profiles/ holds the named profiles of --profile. The package reads YAML here and in option_keys.
"""
