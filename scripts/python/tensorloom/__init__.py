"""What is made of the runs of TensorLoom's testbenches: pictures (tensorloom-plot) and reports (tensorloom-report).

    programs          the testbenches' programs: where they are, and the options that they say they have
    run_directory     the files of a directory that --out has written, as they are
    run               a run with its records over time, whatever testbench has written it; several joined to one
    cases             what a run computed, on which device, and its points for rooflines and comparisons
    comparison        runs or cases side by side in numbers
    energy_breakdown  energy by part and by phase
    quantities        numbers with units, as texts and as one scale for a whole chart
    palette           colours that people with colour blindness tell apart
    command_line      options of the commands, and refusals
    pictures/         charts as PNG, SVG or PDF, with matplotlib
    report/           one HTML page without matplotlib
"""
