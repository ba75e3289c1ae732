"""Fill a database with demo parcels."""
import argparse
from datetime import UTC, datetime
from decimal import Decimal

from api.db import session_scope
from api.models import Parcel


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--count", type=int, default=20)
    ap.add_argument("--tenant", type=int, default=1)
    args = ap.parse_args()
    with session_scope() as s:
        for n in range(args.count):
            s.add(Parcel(tenant_id=args.tenant, carrier="dhl", weight_kg=Decimal("1.250"),
                         price=Decimal("4.90"), created_at=datetime.now(UTC)))
    print(f"seeded {args.count} parcels")


if __name__ == "__main__":
    main()
