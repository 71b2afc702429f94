"""The HTTP face: routes, limits, problems, and what the service publishes of itself. Payments are the gate's."""
