"""Forms that others write or read: transcripts of exchanges, recordings, schemas. No input or output."""
