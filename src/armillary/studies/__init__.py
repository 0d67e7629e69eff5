"""Many runs of one experiment, and measured ones: studies, identification."""
