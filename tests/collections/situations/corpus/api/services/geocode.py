import threading
import time

import httpx

from api.config import get_settings


class Geocoder:
    """One request a second, process-wide."""

    _lock = threading.Lock()
    _last = 0.0

    def lookup(self, address: str) -> tuple[float, float] | None:
        with Geocoder._lock:
            wait = 1.0 - (time.monotonic() - Geocoder._last)
            if wait > 0:
                time.sleep(wait)
            Geocoder._last = time.monotonic()
            r = httpx.get(f"{get_settings().geocoder_url}/search", params={"q": address})
        r.raise_for_status()
        hits = r.json()
        return (hits[0]["lat"], hits[0]["lon"]) if hits else None
