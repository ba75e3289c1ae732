import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class RetryPolicy:
    attempts: int = 3
    base_delay: float = 0.2
    idempotent: bool = True

    def call(self, fn: Callable[[], T], *, on: tuple[type[Exception], ...]) -> T:
        if not self.idempotent:
            return fn()
        for n in range(self.attempts):
            try:
                return fn()
            except on:
                if n == self.attempts - 1:
                    raise
                time.sleep(self.base_delay * 2**n * random.uniform(0.8, 1.2))
        raise AssertionError("unreachable")
