"""The command line: parse, call, print. One command per operation, made from the registry."""
