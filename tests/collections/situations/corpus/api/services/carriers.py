import httpx

from api.config import get_settings
from api.retry import RetryPolicy

READ = RetryPolicy(attempts=4)
WRITE = RetryPolicy(idempotent=False)


class CarrierClient:
    def __init__(self, base_url: str) -> None:
        key = get_settings().carrier_api_key
        self._http = httpx.Client(base_url=base_url, headers={"x-api-key": key}, timeout=10)

    def status(self, tracking_no: str) -> dict:
        return READ.call(
            lambda: self._http.get(f"/track/{tracking_no}").raise_for_status().json(),
            on=(httpx.TransportError,),
        )

    def create_label(self, payload: dict) -> bytes:
        return WRITE.call(
            lambda: self._http.post("/labels", json=payload).raise_for_status().content,
            on=(httpx.TransportError,),
        )
