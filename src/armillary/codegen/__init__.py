"""From expression graphs to machine code: LLVM text, compilation, the cache on disk."""
