"""How risky is this payment?

Rules are data: `config/fraud_rules.yaml` lists them with their points, `docs/risk/fraud-rules.md` explains how to change
them. The points of all rules that hit are added up.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

BLOCK_AT = 80
REVIEW_AT = 50


class Verdict(str, Enum):
    ALLOW = "allow"
    REVIEW = "review"
    BLOCK = "block"


@dataclass(frozen=True)
class Rule:
    """Adds `points` if the signal reaches the threshold. A shadow rule is counted but does not decide."""

    id: str
    signal: str
    at_least: float
    points: int
    shadow: bool = False

    def hits(self, signals: dict[str, float]) -> bool:
        """A signal that is not known never hits: absence is no proof."""
        return self.signal in signals and signals[self.signal] >= self.at_least


@dataclass(frozen=True)
class Assessment:
    """The sum, what follows from it, and the rules that made it, for the analyst."""

    score: int
    verdict: Verdict
    hit: tuple[str, ...]
    shadow_hit: tuple[str, ...]


def assess(rules: list[Rule], signals: dict[str, float], allowlisted: bool) -> Assessment:
    """Adds up the rules. An allowlisted card passes before any rule is looked at."""
    if allowlisted:
        return Assessment(0, Verdict.ALLOW, (), ())
    hit = [rule for rule in rules if rule.hits(signals)]
    score = min(100, sum(rule.points for rule in hit if not rule.shadow))
    return Assessment(
        score,
        verdict_of(score),
        tuple(rule.id for rule in hit if not rule.shadow),
        tuple(rule.id for rule in hit if rule.shadow),
    )


def verdict_of(score: int) -> Verdict:
    """80 and more is blocked, 50 and more waits for a person."""
    if score >= BLOCK_AT:
        return Verdict.BLOCK
    return Verdict.REVIEW if score >= REVIEW_AT else Verdict.ALLOW
