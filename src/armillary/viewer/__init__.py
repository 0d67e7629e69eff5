"""Pictures and pages: what people look at."""
