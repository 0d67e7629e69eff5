"""Wanted motions: trajectories, schedules, prescribed joints, inverse kinematics."""
