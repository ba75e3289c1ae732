from fastapi import APIRouter
from sqlalchemy import select

from api.config import get_settings
from api.db import session_scope
from api.errors import ApiError
from api.models import Parcel

router = APIRouter()


@router.get("")
def list_parcels(limit: int = 50, offset: int = 0) -> list[dict]:
    limit = min(limit, get_settings().page_limit)
    with session_scope() as s:
        rows = s.scalars(select(Parcel).order_by(Parcel.id).limit(limit).offset(offset))
        return [{"id": p.id, "carrier": p.carrier, "status": p.status} for p in rows]


@router.get("/{parcel_id}")
def get_parcel(parcel_id: int) -> dict:
    with session_scope() as s:
        p = s.get(Parcel, parcel_id)
        if p is None:
            raise ApiError(404, "parcel not found")
        return {"id": p.id, "weight_kg": str(p.weight_kg), "price": str(p.price)}
