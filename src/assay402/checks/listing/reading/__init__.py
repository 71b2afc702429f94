"""From answers to what they say: readers of manifests, challenges, catalogues, probes and captures."""
