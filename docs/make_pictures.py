"""The gallery: a picture of every built-in mechanism, and docs/gallery.md (`make pictures`)."""

from pathlib import Path

import numpy as np

import armillary as am
from armillary.formats.examples import example_info

DOCS = Path(__file__).resolve().parent
IMAGES = DOCS / "images"
HEAD = """# Gallery

Every built-in mechanism, drawn by `make pictures` from the registry that `am.example`,
`armillary examples` and `armillary demo` read. `am.example("four-bar")` gives the mechanism,
`armillary demo four-bar` all its forces, a picture and a page that plays a run of it.

| | |
|---|---|
"""


def picture(name: str) -> str:
    """A small sketch, SVG."""
    return am.example(name).draw(size=(420, 315)).svg


def gallery() -> str:
    """The page, from the registry."""
    return HEAD + "".join(map(_row, am.example_names()))


def _row(name: str) -> str:
    info, mechanism = example_info(name), am.example(name)
    options = f" Options: {', '.join(f'`{x}=`' for x in info.options)}." if info.options else ""
    count = len(mechanism.bodies)
    size = f"{mechanism.counts}; {count} {'body' if count == 1 else 'bodies'}"
    text = f"**{name}**: {info.description}.<br>{size}."
    source = f"Source: {info.source}.{options}<br>`armillary demo {name}`"
    return f"| ![{name}](images/{name}.svg) | {text}<br>{source} |\n"


def tyre_curves(path: Path) -> None:
    """Lateral force and aligning moment over the slip angle, of docs/tyres.md."""
    import matplotlib.pyplot as plt
    import numpy as np

    alpha, load, speed = np.radians(np.linspace(-12.0, 12.0, 121)), 4000.0, 20.0
    shown = {"Linear": am.tyres.Linear(), "Brush": am.tyres.Brush(),
             "Fiala": am.tyres.Fiala(mu=1.0, mu_sliding=0.9)}  # fmt: skip
    figure, axes = plt.subplots(1, 2, figsize=(8.0, 3.2), constrained_layout=True)
    for name, model in shown.items():
        b = am.Builder("rig", gravity=(0, 0, 0))
        b.body("rim", joint="free", mass=10.0, inertia=(1.0, 1.0, 1.0))
        b.tyre("t", "rim", radius=0.3, model=model)
        q = np.tile([1.0, 0, 0, 0, 0, 0, 0.3 - load / 2e5], (len(alpha), 1))
        v = np.zeros((len(alpha), 6))
        v[:, 1], v[:, 3], v[:, 4] = speed / (0.3 - load / 6e5), speed, speed * np.tan(alpha)
        forces = b.build().tyre_forces(q, v)
        for axis, quantity in zip(axes, ("Fy", "Mz"), strict=True):
            axis.plot(np.degrees(alpha), forces.column(quantity)[:, 0], label=name)
    for axis, label in zip(axes, ("lateral force Fy [N]", "aligning moment Mz [N m]"), strict=True):
        axis.set(xlabel="slip angle [°]", ylabel=label)
        axis.grid(alpha=0.3)
    axes[0].legend()
    figure.savefig(path, dpi=80)
    plt.close(figure)


def vehicles() -> None:
    """Pictures of docs/vehicles.md."""
    axle = am.vehicles.Axle("double wishbone", am.vehicles.Rack(), anti_roll=700.0)
    curves = am.vehicles.kinematics(axle, travel=[0.01 * k for k in range(-6, 7)])
    names = ("camber", "toe", "half-track change", "motion ratio", "wheel rate", "roll centre z")
    curves.plot(*names).savefig(IMAGES / "kinematics.png", dpi=70)
    rubber = am.vehicles.Bushing()
    soft = am.vehicles.Bushing(radial=1.5e6)
    made = am.vehicles.DoubleWishbone(bushing=rubber, rear_bushing=soft)
    elastic = am.vehicles.Axle(made, am.vehicles.Rack())
    pushed = am.vehicles.compliance(elastic, lateral=[500.0 * k for k in range(-6, 7)])
    names = ("camber", "toe", "half-track change", "center y change")
    pushed.plot(*names).savefig(IMAGES / "compliance.png", dpi=70)
    lanes = am.vehicles.double_lane_change(16.0)
    found = am.vehicles.drive(am.vehicles.car(), lanes, step=2e-3)
    found.plot().savefig(IMAGES / "drive.png", dpi=70)
    trapezoid = am.vehicles.Trapezoid(pins=1.3, arm=0.16, wheelbase=2.7)
    am.vehicles.ackermann(trapezoid).plot().savefig(IMAGES / "ackermann.png", dpi=70)
    car, truck = am.vehicles.car().mechanism, am.vehicles.truck(3).mechanism
    source = am.vehicles.yesiloglu_car().mechanism
    (IMAGES / "yesiloglu-car.svg").write_text(source.draw(size=(640, 420)).svg, encoding="utf-8")
    (IMAGES / "car.svg").write_text(car.draw(size=(640, 420)).svg, encoding="utf-8")
    (IMAGES / "truck.svg").write_text(truck.draw(size=(860, 360)).svg, encoding="utf-8")


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    for name in am.example_names():
        (IMAGES / f"{name}.svg").write_text(picture(name), encoding="utf-8")
    (DOCS / "gallery.md").write_text(gallery(), encoding="utf-8")
    tyre_curves(IMAGES / "tyres.png")
    swing = am.simulate(am.example("four-bar"), duration=2.0, inputs={"crank": 0.3})
    swing.animate(IMAGES / "four-bar.gif", fps=15, overwrite=True)
    loads = am.simulate(am.example("four-bar"), duration=1.0, record=("q", "reactions"))
    loads.plot("reactions", polar=True, columns=["crank"]).savefig(IMAGES / "bearing.png", dpi=80)
    vehicles()
    identified().plot().savefig(IMAGES / "identification.png", dpi=65)


def identified():
    """The Puma's wrist and arm from a noisy log of an exciting motion."""
    arm = am.example("puma560")
    motion = am.exciting_trajectory(arm, velocity=1.5, evaluations=60)
    t = np.arange(0.0, motion.end, 0.004)
    q, v, a = motion(t)
    rng = np.random.default_rng(0)
    noise = np.array([3.0, 4.0, 1.5, 0.2, 0.2, 0.15]) * rng.normal(size=q.shape)  # N m
    log = {"time": t, "q": q + 1e-4 * rng.normal(size=q.shape)}
    log["tau"] = arm.inverse_dynamics(q, v, a) + noise
    friction = ("viscous", "coulomb_each_way")
    return am.identify(arm, log, friction=friction, rotors=True, realizable=False)


if __name__ == "__main__":
    main()
