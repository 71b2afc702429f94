"""The network's answers to asks: one guarded HTTP client, and the answerer that stands in front of it."""
