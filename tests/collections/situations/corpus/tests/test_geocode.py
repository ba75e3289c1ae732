from api.services.geocode import Geocoder


def test_no_hits(monkeypatch):
    class R:
        def raise_for_status(self): ...
        def json(self): return []

    monkeypatch.setattr("httpx.get", lambda *a, **k: R())
    assert Geocoder().lookup("nowhere") is None
