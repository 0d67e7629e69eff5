"""From expression graphs to machine code: text, compilation, the cache on disk."""
