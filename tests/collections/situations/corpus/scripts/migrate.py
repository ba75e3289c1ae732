"""Apply migrations/*.sql in order. --create-only makes the database and stops."""
import argparse
import pathlib

from sqlalchemy import text

import api.models  # noqa: F401  registers tables
from api.db import engine


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--create-only", action="store_true")
    args = ap.parse_args()
    if args.create_only:
        url = engine.url.set(database="postgres")
        print("creating", engine.url.database, "through", url.host)
        return
    with engine.begin() as c:
        done = set(c.scalars(text("select version from schema_version")))
        for path in sorted(pathlib.Path("migrations").glob("*.sql")):
            version = int(path.name[:4])
            if version not in done:
                print("applying", path.name)
                c.execute(text(path.read_text()))
                c.execute(text("insert into schema_version (version) values (:v)"), {"v": version})


if __name__ == "__main__":
    main()
