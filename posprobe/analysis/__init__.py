"""The measures: arrays or tensors in, frozen results out.

Nothing here knows a model, reads a file or draws. Each measure has a result (`manifold`,
`heads`, `adjacency`) that figures and reports read without loading the machinery, and files
beside it with the arithmetic.
"""
