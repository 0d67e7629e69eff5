"""Worked examples of the sources [VanDerMerwe1995], [Swartz1982], [Yesiloglu2007], [Lecture] and
[QuinnChang1991], number by number.  Each module lists what of its case it leaves out, and why."""
