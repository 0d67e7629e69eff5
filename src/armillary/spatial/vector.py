"""Three-vectors and 3x3 matrices with scalar leaves of any kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from armillary.scalar import Scalar, dot


def times(a: Scalar, s: Scalar) -> Scalar:
    """a * s, where nothing stays nothing: the integer 0 is structural, 0 * 0.5 would be 0.0."""
    return 0 if type(a) is int and a == 0 else a * s


class Vector:
    """A 3-vector (x, y, z).  The frame is in the name of the variable that holds it."""

    __slots__ = ("x", "y", "z")
    size = 3

    def __init__(self, x: Scalar = 0, y: Scalar = 0, z: Scalar = 0):
        self.x, self.y, self.z = x, y, z

    def leaves(self) -> tuple[Scalar, ...]:
        return (self.x, self.y, self.z)

    @classmethod
    def from_leaves(cls, leaves: Sequence[Scalar]) -> Vector:
        return cls(*leaves)

    def __iter__(self) -> Iterator[Scalar]:
        return iter((self.x, self.y, self.z))

    def __add__(self, o: Vector) -> Vector:
        return Vector(self.x + o.x, self.y + o.y, self.z + o.z)

    def __sub__(self, o: Vector) -> Vector:
        return Vector(self.x - o.x, self.y - o.y, self.z - o.z)

    def __neg__(self) -> Vector:
        return Vector(-self.x, -self.y, -self.z)

    def __mul__(self, s: Scalar) -> Vector:
        return Vector(times(self.x, s), times(self.y, s), times(self.z, s))

    __rmul__ = __mul__

    def dot(self, o: Vector) -> Scalar:
        return self.x * o.x + self.y * o.y + self.z * o.z

    def cross(self, o: Vector) -> Vector:
        return Vector(
            self.y * o.z - self.z * o.y,
            self.z * o.x - self.x * o.z,
            self.x * o.y - self.y * o.x,
        )

    def skew(self) -> Matrix:
        """The matrix c~ with c~ x = c × x  [VanDerMerwe1995, eq 2.5]."""
        x, y, z = self.x, self.y, self.z
        return Matrix(((0, -z, y), (z, 0, -x), (-y, x, 0)))

    def outer(self, o: Vector) -> Matrix:
        return Matrix(tuple(tuple(a * b for b in o) for a in self))

    def __repr__(self) -> str:
        return f"Vector({self.x}, {self.y}, {self.z})"


class Matrix:
    """A 3x3 matrix, kept as three rows."""

    __slots__ = ("rows",)
    size = 9

    def __init__(self, rows: Sequence[Sequence[Scalar]]):
        self.rows = tuple(tuple(row) for row in rows)

    @classmethod
    def diagonal(cls, x: Scalar, y: Scalar, z: Scalar) -> Matrix:
        return cls(((x, 0, 0), (0, y, 0), (0, 0, z)))

    @classmethod
    def identity(cls) -> Matrix:
        return cls.diagonal(1, 1, 1)

    @classmethod
    def zero(cls) -> Matrix:
        return cls.diagonal(0, 0, 0)

    def leaves(self) -> tuple[Scalar, ...]:
        return self.rows[0] + self.rows[1] + self.rows[2]

    @classmethod
    def from_leaves(cls, leaves: Sequence[Scalar]) -> Matrix:
        return cls((leaves[0:3], leaves[3:6], leaves[6:9]))

    @property
    def T(self) -> Matrix:
        return Matrix(tuple(zip(*self.rows, strict=True)))

    def __matmul__(self, o):
        if isinstance(o, Vector):
            return Vector(*(dot(row, o) for row in self.rows))
        if isinstance(o, Symmetric):
            o = o.matrix()
        columns = tuple(zip(*o.rows, strict=True))
        return Matrix(tuple(tuple(dot(r, c) for c in columns) for r in self.rows))

    def __add__(self, o: Matrix) -> Matrix:
        return Matrix(_entrywise(self.rows, o.rows, lambda a, b: a + b))

    def __sub__(self, o: Matrix) -> Matrix:
        return Matrix(_entrywise(self.rows, o.rows, lambda a, b: a - b))

    def __neg__(self) -> Matrix:
        return Matrix(tuple(tuple(-a for a in row) for row in self.rows))

    def __mul__(self, s: Scalar) -> Matrix:
        return Matrix(tuple(tuple(times(a, s) for a in row) for row in self.rows))

    __rmul__ = __mul__

    def column(self, k: int) -> Vector:
        return Vector(self.rows[0][k], self.rows[1][k], self.rows[2][k])

    def symmetric(self) -> Symmetric:
        """The upper triangle, for a matrix known to be symmetric."""
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = self.rows
        return Symmetric(xx, yy, zz, xy, xz, yz)

    def __repr__(self) -> str:
        return f"Matrix({self.rows})"


class Symmetric:
    """A symmetric 3x3 matrix: xx, yy, zz, xy, xz, yz."""

    __slots__ = ("xx", "yy", "zz", "xy", "xz", "yz")
    size = 6

    def __init__(self, xx: Scalar, yy: Scalar, zz: Scalar, xy: Scalar = 0, xz: Scalar = 0,
                 yz: Scalar = 0):  # fmt: skip
        self.xx, self.yy, self.zz = xx, yy, zz
        self.xy, self.xz, self.yz = xy, xz, yz

    @classmethod
    def zero(cls) -> Symmetric:
        return cls(0, 0, 0)

    def leaves(self) -> tuple[Scalar, ...]:
        return (self.xx, self.yy, self.zz, self.xy, self.xz, self.yz)

    @classmethod
    def from_leaves(cls, leaves: Sequence[Scalar]) -> Symmetric:
        return cls(*leaves)

    def matrix(self) -> Matrix:
        return Matrix(
            (
                (self.xx, self.xy, self.xz),
                (self.xy, self.yy, self.yz),
                (self.xz, self.yz, self.zz),
            )
        )

    @property
    def rows(self):
        return self.matrix().rows

    def trace(self) -> Scalar:
        return self.xx + self.yy + self.zz

    def __matmul__(self, o):
        return self.matrix() @ o

    def __add__(self, o: Symmetric) -> Symmetric:
        return Symmetric(*(a + b for a, b in zip(self.leaves(), o.leaves(), strict=True)))

    def __sub__(self, o: Symmetric) -> Symmetric:
        return Symmetric(*(a - b for a, b in zip(self.leaves(), o.leaves(), strict=True)))

    def __mul__(self, s: Scalar) -> Symmetric:
        return Symmetric(*(times(a, s) for a in self.leaves()))

    __rmul__ = __mul__

    def rotate(self, R: Matrix) -> Symmetric:
        """R S R^T: the same tensor in the coordinates that R leads to (upper triangle only)."""
        if (end := _kept_axis(R)) is not None:
            rotated = self._rotated_about_z(R.rows[0][0], R.rows[0][1])
            return rotated if end == 1 else rotated.turned_over()
        half = R @ self.matrix()
        r, h = R.rows, half.rows
        return Symmetric(
            dot(h[0], r[0]), dot(h[1], r[1]), dot(h[2], r[2]),
            dot(h[0], r[1]), dot(h[0], r[2]), dot(h[1], r[2]),
        )  # fmt: skip

    def _rotated_about_z(self, c: Scalar, s: Scalar) -> Symmetric:
        """The same for a rotation about z, with c² + s² = 1 used: half the work."""
        d, twice = self.yy - self.xx, self.xy * 2
        e = s * (s * d + c * twice)
        return Symmetric(
            self.xx + e,
            self.yy - e,
            self.zz,
            self.xy + s * (c * d - s * twice),
            c * self.xz + s * self.yz,
            c * self.yz - s * self.xz,
        )

    def turned_over(self) -> Symmetric:
        """The same after a half turn about x: y and z change their signs."""
        return Symmetric(self.xx, self.yy, self.zz, -self.xy, -self.xz, self.yz)

    def __repr__(self) -> str:
        return f"Symmetric{self.leaves()}"


def squared_skew(c: Vector) -> Symmetric:
    """-c~ c~ = (c·c) 1 - c c^T, positive semi-definite (errata 0-7)."""
    xx, yy, zz = c.x * c.x, c.y * c.y, c.z * c.z
    return Symmetric(yy + zz, xx + zz, xx + yy, -(c.x * c.y), -(c.x * c.z), -(c.y * c.z))


def _kept_axis(R: Matrix) -> int | None:
    """Whether a rotation keeps z by its structure: 1 (about z, with R = [c s; -s c] in x and y),
    -1 (such a rotation, then a half turn about x) or None (neither, or not structurally)."""
    (xx, _, xz), (_, _, yz), (zx, zy, zz) = R.rows
    structural = all(type(e) is int for e in (xz, yz, zx, zy, zz)) and type(xx) is not int
    return zz if structural and zz in (1, -1) else None


def _entrywise(a_rows, b_rows, operate):
    return tuple(
        tuple(operate(a, b) for a, b in zip(ra, rb, strict=True))
        for ra, rb in zip(a_rows, b_rows, strict=True)
    )
