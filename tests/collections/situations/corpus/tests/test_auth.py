from freezegun import freeze_time
import pytest

from api.auth import TokenVerifier
from api.errors import ApiError


@pytest.fixture
def verifier(jwks_server):
    return TokenVerifier(jwks_server.url)


def test_login_valid(verifier, make_token):
    assert verifier.verify(make_token(ttl=60))["sub"] == "ops"


def test_login_expired(verifier, make_token):
    with freeze_time("2024-05-01 12:00:00") as clock:
        token = make_token(ttl=60)
        clock.tick(91)
        with pytest.raises(ApiError):
            verifier.verify(token)
