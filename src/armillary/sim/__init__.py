"""Time, in stairs: motion < control < actuators < methods < record < loop."""
