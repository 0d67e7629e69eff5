"""Numbers of a mechanism from measured motion and forces.

identify.py             the call: a log in, an `Identification` out
logs.py, filtering.py   measured columns by name; zero-phase filters and rates
parameters.py           what is asked for: names, units, numbers of the model
design.py               forces as a function of the parameters, and the columns of it
admissible.py           equations along the motions that constraints allow
estimate.py             weighted and robust least squares, standard errors
consistent.py           inertias that a rigid body can have
result.py               tables, the new mechanism; plotting.py its pictures
excitation.py           motions from which the parameters can be told well
momentum_observer.py    external forces from measured motion
"""
