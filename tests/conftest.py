"""What all tests share: hypothesis takes the same examples every time, without a deadline."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "conceptrank",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("conceptrank")
