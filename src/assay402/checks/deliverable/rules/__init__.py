"""The rules: the parameters of one criterion and the deliverable in, one finding out."""
