"""The service: what is sold for how much, the gate in front of it, and the orders that pass it. No I/O: it has ports."""
