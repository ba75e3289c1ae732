"""Uses the vendors' own clients against the fake server of models, whose address is the argument.

Faults are set over HTTP: the path /script takes a list of statuses. What the clients accept is what the vendors send.
"""

import json
import sys
import urllib.request

import anthropic
import ollama
import openai
import voyageai

ADDRESS = sys.argv[1]
V1 = ADDRESS + "/v1"
KEY = "sk-right"
MODEL = "fake-model"
PASSAGES = "Question: where is the store\n\nPassage 1\nx\na store\nx\n\nPassage 2\nx\na garden\nx\n"
SCORES = [{"passage": 1, "score": 1}, {"passage": 2, "score": 0}]
TEXTS = ["a store that opens at nine", "a garden"]


def script(*statuses):
    body = json.dumps({"statuses": statuses}).encode()
    urllib.request.urlopen(urllib.request.Request(ADDRESS + "/script", body))


def is_right(vectors, dimensions=16):
    assert len(vectors) == len(TEXTS) and vectors[0] != vectors[1], vectors
    assert all(len(vector) == dimensions and any(vector) for vector in vectors), vectors


def refused(kind, call):
    try:
        call()
    except kind as error:
        return str(error)
    raise AssertionError(f"{kind} was expected")


def of_openai():
    client = openai.OpenAI(api_key=KEY, base_url=V1, max_retries=2)
    answer = client.embeddings.create(model=MODEL, input=TEXTS)
    is_right([one.embedding for one in answer.data])
    assert [one.index for one in answer.data] == [0, 1] and answer.usage.total_tokens > 0
    floats = client.embeddings.create(model=MODEL, input=TEXTS, encoding_format="float", dimensions=8)
    is_right([one.embedding for one in floats.data], 8)
    script(429, 503)
    is_right([one.embedding for one in client.embeddings.create(model=MODEL, input=TEXTS).data])
    refused(openai.NotFoundError, lambda: client.embeddings.create(model="unheard-of", input=TEXTS))
    refused(openai.BadRequestError, lambda: client.embeddings.create(model=MODEL, input=["x" * 3000]))
    wrong = openai.OpenAI(api_key="sk-wrong", base_url=V1)
    assert "invalid api key" in refused(openai.AuthenticationError, lambda: wrong.embeddings.create(model=MODEL, input=TEXTS))


def of_ollama():
    client = ollama.Client(host=ADDRESS, headers={"authorization": f"Bearer {KEY}"})
    answer = client.embed(model=MODEL, input=TEXTS, truncate=False)
    is_right(answer.embeddings)
    assert answer.prompt_eval_count > 0
    assert "not found" in refused(ollama.ResponseError, lambda: client.embed(model="unheard-of", input=TEXTS))
    assert "context length" in refused(ollama.ResponseError, lambda: client.embed(model=MODEL, input="x" * 3000))


def of_voyage():
    client = voyageai.Client(api_key=KEY, base_url=V1, max_retries=2)
    answer = client.embed(TEXTS, model=MODEL, input_type="document", truncation=False, output_dimension=8)
    is_right(answer.embeddings, 8)
    assert answer.total_tokens > 0
    refused(voyageai.error.InvalidRequestError, lambda: client.embed(["x" * 3000], model=MODEL, input_type="query"))


def of_anthropic():
    client = anthropic.Anthropic(api_key=KEY, base_url=ADDRESS, max_retries=2)
    ask = lambda model: client.messages.create(model=model, max_tokens=100, system="Judge.", messages=[{"role": "user", "content": PASSAGES}])
    script(529, 500)
    answer = ask("claude-test")
    assert json.loads(answer.content[0].text)["scores"] == SCORES and answer.stop_reason == "end_turn", answer
    assert answer.usage.input_tokens > 0
    assert "unheard-of" in refused(anthropic.NotFoundError, lambda: ask("unheard-of"))
    wrong = anthropic.Anthropic(api_key="sk-wrong", base_url=ADDRESS)
    refused(anthropic.AuthenticationError, lambda: wrong.messages.create(model="claude-test", max_tokens=1, messages=[{"role": "user", "content": "x"}]))


def of_chat():
    client = openai.OpenAI(api_key=KEY, base_url=V1)
    messages = [{"role": "system", "content": "Judge."}, {"role": "user", "content": PASSAGES}]
    answer = client.chat.completions.create(model="gpt-test", max_completion_tokens=100, messages=messages)
    assert json.loads(answer.choices[0].message.content)["scores"] == SCORES and answer.usage.total_tokens > 0, answer


for prove in [of_openai, of_ollama, of_voyage, of_anthropic, of_chat]:
    prove()
    print(f"{prove.__name__.removeprefix('of_')}: the vendor's client accepts the fake server")
