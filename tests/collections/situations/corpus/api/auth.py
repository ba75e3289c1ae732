import time

import httpx
import jwt

from api.config import get_settings
from api.errors import ApiError

JWKS_TTL = 600


class TokenVerifier:
    def __init__(self, jwks_url: str) -> None:
        self._url = jwks_url
        self._keys: dict[str, jwt.PyJWK] = {}
        self._loaded = 0.0

    def refresh(self) -> None:
        data = httpx.get(self._url, timeout=5).json()
        self._keys = {k["kid"]: jwt.PyJWK(k) for k in data["keys"]}
        self._loaded = time.monotonic()

    def verify(self, token: str) -> dict:
        if time.monotonic() - self._loaded > JWKS_TTL:
            self.refresh()
        kid = jwt.get_unverified_header(token)["kid"]
        try:
            return jwt.decode(token, self._keys[kid].key, algorithms=["RS256"], leeway=30)
        except (KeyError, jwt.InvalidTokenError) as exc:
            raise ApiError(401, "invalid token", str(exc)) from exc


verifier = TokenVerifier(get_settings().jwks_url)
