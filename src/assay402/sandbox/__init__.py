"""A sandbox on loopback: local chains with test tokens, a facilitator, the service in paid mode, and a paying client.

It runs on the official x402 SDK, which checks and service do without, so that what they say meets real counterparts. The
packages of the extra `sandbox` are heavy: they are imported where they are needed, and `assay sandbox` says when they are
missing. Keys and money are for tests: everybody knows the keys, and nothing here reaches another machine.
"""
