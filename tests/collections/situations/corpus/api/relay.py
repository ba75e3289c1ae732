"""Reads parcel events from the stream and notifies recipients."""
import argparse
import json

from api.queue import EventQueue
from api.services.notify import notify_delivered


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--consumer", required=True)
    args = ap.parse_args()
    queue = EventQueue()
    queue.ensure_group()
    while True:
        for _, entries in queue.read(args.consumer):
            for _, fields in entries:
                event = json.loads(fields[b"body"])
                if event["kind"] == "delivered" and event.get("email"):
                    notify_delivered(event["email"], event["parcel_id"])


if __name__ == "__main__":
    main()
