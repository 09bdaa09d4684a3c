"""The training of a PyTorch module on a simulated FETTA: its graph becomes a model of tnn_training.

    module_training   train(): the module learns on the device; model_of(): its model
    translation       the traced graph, node by node, as layers
    layer_rules       what each module and function is as a layer
    values            a tensor of the graph: the layers that make it, and the place of each element on the device
    settings          losses, optimizers and schedules of PyTorch as those of a model
    samples           data as arrays of the device, from tensors and DataLoaders
    drawn             the random numbers of tnn_training: order of an epoch, held-out samples, masks of dropout
    beside            PyTorch on the same batches
"""
