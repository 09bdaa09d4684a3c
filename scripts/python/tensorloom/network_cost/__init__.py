"""The cost of a whole network on a simulated FETTA, node by node.

    tensors               nodes and tensors, as both front ends describe them
    from_torch            a PyTorch module, traced and run once: tensorloom.pytorch.cost
    torch_nodes           ... its nodes
    from_onnx             an ONNX file: tensorloom.onnx.cost
    onnx_shapes           ... its shapes
    mapper                nodes -> programs of the device, with their phases; by the rules in contraction_rules,
                          elementwise_rules, row_rules and memory_rules
    work                  contractions, layers, programs for the vector unit: equal ones are equal
    elementwise_kernels   what the vector unit executes element by element
    vector_kernels        ... and for rows, pictures and parameters
    vector_programs       the programs that stream tensors through the vector unit
    prices                simulates every distinct program once
    results               summary, tables and text of the run
"""
