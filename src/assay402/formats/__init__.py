"""Formats: recordings, transcripts people have saved, and the pages made from the registry. No input or output."""
