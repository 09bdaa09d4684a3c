"""One HTML page of runs: tables, charts as inline SVG, and views that answer clicks. It asks nothing of a network.

    page         what stands where
    markup       tables, bars and figures as HTML
    time_charts  what happened when: causes, power, traffic on the bus
    activity     the array and the components at one row of latency.csv, in space where there is a mesh or a torus
    banks        which banks of a memory were waited for
    roofs        points under the roof of their device
    study_page   the page of a study: its Pareto front and all its points
    page.css, page.js, space.js   the look, the answers to clicks, and three dimensions
"""
