"""The enum, the catalogue in YAML and the statuses name the same codes."""

from pathlib import Path

import yaml

from ledgerline.errors import STATUS, ErrorCode

CATALOGUE = Path(__file__).parents[3] / "config" / "error_codes.yaml"


def test_the_catalogue_and_the_enum_agree():
    catalogue = yaml.safe_load(CATALOGUE.read_text())["errors"]
    assert {code.value: STATUS[code] for code in ErrorCode} == {row["code"]: row["status"] for row in catalogue}


def test_every_code_has_a_status():
    assert set(STATUS) == set(ErrorCode)
