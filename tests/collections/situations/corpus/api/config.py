from functools import lru_cache

from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_file=".env", extra="ignore")

    database_url: str
    redis_url: str = "redis://localhost:6379/0"
    jwks_url: str
    carrier_api_key: str = ""
    carrier_webhook_secret: str = ""
    geocoder_url: str = "https://geo.example.com/v1"
    page_limit: int = 100


@lru_cache
def get_settings() -> Settings:
    return Settings()
