"""The names of the metrics, for programs and for people."""

from typing import Literal

Metric = Literal["m2", "errant", "gleu", "sari", "sari-geva", "em"]

METRIC_NAMES: dict[Metric, str] = {
    "m2": "MaxMatch",
    "errant": "ERRANT",
    "gleu": "GLEU",
    "sari": "SARI (Xu 2016)",
    "sari-geva": "SARI (Geva 2019)",
    "em": "exact match",
}
