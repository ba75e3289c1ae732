import json

import redis

from api.config import get_settings

STREAM = "parcel-events"
GROUP = "relay"


class EventQueue:
    def __init__(self, client: redis.Redis | None = None) -> None:
        self._r = client or redis.Redis.from_url(get_settings().redis_url)

    def ensure_group(self) -> None:
        try:
            self._r.xgroup_create(STREAM, GROUP, id="0", mkstream=True)
        except redis.ResponseError as exc:
            if "BUSYGROUP" not in str(exc):
                raise

    def publish(self, event: dict) -> None:
        self._r.xadd(STREAM, {"body": json.dumps(event)})

    def read(self, consumer: str, count: int = 10):
        return self._r.xreadgroup(GROUP, consumer, {STREAM: ">"}, count=count, block=1000)
