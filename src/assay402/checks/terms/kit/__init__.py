"""The generic kit: reading and writing a reference wherever a manifest says it stands. It knows no protocol."""
