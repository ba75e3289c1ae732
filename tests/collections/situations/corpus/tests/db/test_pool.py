from sqlalchemy import text

from api.db import engine, session_scope


def test_connections_return_to_pool(database):
    for _ in range(40):
        with session_scope() as s:
            s.execute(text("select 1"))
    assert engine.pool.checkedout() == 0


def test_rollback_on_error(database):
    try:
        with session_scope() as s:
            s.execute(text("select 1"))
            raise ValueError
    except ValueError:
        pass
    assert engine.pool.checkedout() == 0
