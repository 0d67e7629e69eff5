"""Time: integrators, controllers, actuators, recordings."""
