from fastapi import FastAPI

from api.errors import ApiError, handle_api_error
from api.routes import health, parcels, webhooks


def create_app() -> FastAPI:
    app = FastAPI(title="parcelhub")
    app.add_exception_handler(ApiError, handle_api_error)
    app.include_router(health.router)
    app.include_router(parcels.router, prefix="/parcels")
    app.include_router(webhooks.router, prefix="/webhooks")
    return app


app = create_app()
