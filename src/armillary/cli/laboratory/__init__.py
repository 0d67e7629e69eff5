"""The arm laboratory: `armillary sim`, the interactive program of [Swartz1982]."""
