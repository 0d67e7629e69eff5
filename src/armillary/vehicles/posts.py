"""A four-post rig: a whole vehicle stands with its tyres on posts that are lifted."""

from __future__ import annotations

from dataclasses import replace

from armillary.errors import InputError
from armillary.mechanism.making import Builder
from armillary.model import Frame, Pose
from armillary.model.arguments import check_arguments
from armillary.model.mount import add_model
from armillary.vehicles.vehicle import Vehicle


@check_arguments
def four_post(vehicle: Vehicle) -> Vehicle:
    """The vehicle on one post per wheel: slides along z named post-<tyre>, at rest at 0 m; a run
    lifts them by `prescribed={"post-front-left-tyre": motion}`.  Their forces are wheel loads."""
    m = vehicle.mechanism
    if vehicle.rolling:
        raise InputError(
            f"four_post: '{vehicle.name}' rolls without slip on the plane; give it tyres, such as "
            f"tyre=armillary.tyres.Linear()."
        )
    model, names = m.model, set(vehicle.tyres)
    b = Builder(f"{model.name} on posts", model.gravity, report=model.report)
    kept = tuple(part for part in model.elements if part.name not in names)
    add_model(b, replace(model, elements=kept))
    _, origins = m.poses(m.initial)
    for part in model.elements:
        if part.name in names:
            post, wheel = f"post-{part.name}", part.ends[1]
            x, y, _ = origins[model.index[wheel.body]]
            b.body(post, joint="prismatic", axis="z", at=(float(x), float(y), 0.0), mass=20.0)
            # the road stays where it was: its frame is the world's, carried by the post
            road = Frame(f"{post}-top", post, Pose((-float(x), -float(y), 0.0)))
            b.element(part.name, (road, wheel), part.law)
    return replace(vehicle, mechanism=b.build())
