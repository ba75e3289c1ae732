import hashlib
import hmac
import json

from fastapi import APIRouter, Request

from api.config import get_settings
from api.db import session_scope
from api.errors import ApiError
from api.models import TrackingEvent
from api.queue import EventQueue

router = APIRouter()


def verify_signature(body: bytes, signature: str) -> bool:
    secret = get_settings().carrier_webhook_secret.encode()
    want = hmac.new(secret, body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(want, signature)


@router.post("/carrier")
async def carrier_event(request: Request) -> dict:
    raw = await request.body()
    if not verify_signature(raw, request.headers.get("x-signature", "")):
        raise ApiError(401, "bad signature")
    event = json.loads(raw)
    with session_scope() as s:
        s.add(TrackingEvent(parcel_id=event["parcel_id"], kind=event["kind"], at=event["at"]))
    EventQueue().publish(event)
    return {"ok": True}
