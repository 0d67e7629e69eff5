"""The one meeting place of algorithms and compiler: how a question becomes a number."""
