from fastapi import Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel


class ProblemDetail(BaseModel):
    type: str = "about:blank"
    title: str
    status: int
    detail: str | None = None


class ApiError(Exception):
    def __init__(self, status: int, title: str, detail: str | None = None) -> None:
        self.problem = ProblemDetail(title=title, status=status, detail=detail)


async def handle_api_error(_: Request, exc: ApiError) -> JSONResponse:
    return JSONResponse(
        exc.problem.model_dump(exclude_none=True),
        status_code=exc.problem.status,
        media_type="application/problem+json",
    )
