import httpx
import pytest

from api.services.labels import LabelRenderer


@pytest.fixture
async def http(app):
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://t") as c:
        yield c


def test_render_png():
    assert LabelRenderer().render(["Jane Doe", "Main St 1"]).startswith(b"\x89PNG")


async def test_label_endpoint(http):
    r = await http.post("/parcels/1/label")
    assert r.status_code in (200, 404)
