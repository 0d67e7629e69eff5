"""Independent answers to what the library computes: from first principles, and from Pinocchio."""
