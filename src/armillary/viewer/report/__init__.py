"""Reports: one HTML file that says what a mechanism or a run is, shows it, and checks it."""
