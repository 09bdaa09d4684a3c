"""One HTML page of runs: tables, charts as inline SVG, and interactive views. It needs no network.

    page         the sections of the page
    markup       tables, bars and figures as HTML
    time_charts  charts over time: causes, power, traffic on the bus
    activity     the array and the components at one row of latency.csv; a mesh or a torus in space
    banks        stalls by bank of a memory
    roofs        points under the roof of their device
    study_page   the page of a study: its Pareto front and all its points
    page.css, page.js, space.js   style, interaction, and 3D views
"""
