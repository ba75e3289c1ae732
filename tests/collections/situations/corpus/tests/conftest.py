import pytest
from fastapi.testclient import TestClient

from api.db import engine
from api.main import create_app
from api.models import Base


@pytest.fixture(scope="session")
def database():
    Base.metadata.create_all(engine)
    yield engine
    Base.metadata.drop_all(engine)


@pytest.fixture
def client():
    return TestClient(create_app())
