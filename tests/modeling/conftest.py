"""Networks as they are built today: with positions, unless a test says otherwise."""

import pytest


@pytest.fixture(scope="session")
def tiny_model(tiny_model):
    """Build a random network of a few thousand weights, whose decoder has positions."""

    def build(seed=0, **options):
        return tiny_model(seed, **{"slot_positions": True, **options})

    return build
