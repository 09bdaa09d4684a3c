"""The cost of a whole network on a simulated FETTA, node by node.

    tensors          nodes and tensors, as both front ends describe them
    from_torch       a PyTorch module as nodes: tensorloom.pytorch.cost
    from_onnx        an ONNX file as nodes: tensorloom.onnx.cost
    mapper           nodes -> programs of the device, with their phases
    work             contractions, layers, programs for the vector unit: equal ones are equal
    vector_kernels   what the vector unit executes for each operation
    vector_programs  ... and the programs that stream tensors through it
    prices           simulates every distinct program once
    results          summary, tables and text of the run
"""
