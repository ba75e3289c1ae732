"""How often has this happened lately?

Counts distinct values in a sliding window: cards a device, devices a card, declines an address. The counts are signals for
`rules.py`.
"""

from __future__ import annotations

from collections import deque

#: Everything is counted over one hour, in seconds.
WINDOW_SECONDS = 3600


class DistinctWindow:
    """Distinct values of one key within the window, such as the cards that one device has tried."""

    def __init__(self, window_seconds: int = WINDOW_SECONDS) -> None:
        self._window = window_seconds
        self._seen: dict[str, deque[tuple[float, str]]] = {}

    def add(self, key: str, value: str, now: float) -> int:
        """Counts the value in; returns how many distinct ones the key has."""
        events = self._seen.setdefault(key, deque())
        events.append((now, value))
        while events and events[0][0] <= now - self._window:
            events.popleft()
        return len({value for _, value in events})


def signals(device: str, card: str, address: str, windows: dict[str, DistinctWindow], now: float) -> dict[str, float]:
    """The velocity signals of one attempt, itself included."""
    return {
        "cards_per_device": float(windows["cards_per_device"].add(device, card, now)),
        "devices_per_card": float(windows["devices_per_card"].add(card, device, now)),
        "cards_per_address": float(windows["cards_per_address"].add(address, card, now)),
    }
