"""JSON Schema from strangers: what is refused before an engine sees it, by counts that depend on the schema alone.

The engine is fast and right, and can be made to fetch, to exhaust its native stack or to run for ever by a schema of a
kilobyte. Each module here closes one of these doors.
"""
