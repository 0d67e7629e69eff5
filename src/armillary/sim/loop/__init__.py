"""One run over time: start, steps, events."""
