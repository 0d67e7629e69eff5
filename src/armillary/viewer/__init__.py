"""Pictures and pages: mechanisms and runs to look at."""
