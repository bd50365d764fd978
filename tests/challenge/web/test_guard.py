"""What no page sees: other hosts, paths that leave the site, other methods, other sites' forms."""

from __future__ import annotations

import pytest
from starlette.datastructures import Headers

from carob_challenge.web import guard
from carob_challenge.web.guard import RefusedRequestError

NAMES = ["task.example.org", "localhost"]


@pytest.mark.parametrize(
    "host",
    ["task.example.org", "TASK.example.org:443", "localhost:8080", "127.0.0.1:1", "[::1]:8080"],
)
def test_own_names_and_numbers_are_accepted(host: str) -> None:
    guard.refuse_host(host, NAMES)


@pytest.mark.parametrize(
    ("status", "host"),
    [
        (400, ""), (400, "a b"), (400, "a@b"), (400, "task.example.org:99999999"), (400, "a/b"),
        (421, "evil.example"), (421, "task.example.org.evil.example"), (421, "xlocalhost"),
    ],
)  # fmt: skip
def test_other_hosts_are_refused(status: int, host: str) -> None:
    with pytest.raises(RefusedRequestError) as refused:
        guard.refuse_host(host, NAMES)
    assert status == refused.value.status


@pytest.mark.parametrize(
    ("path", "raw"),
    [
        ("/inputs/../gold", b"/inputs/%2e%2e/gold"), ("/..", b"/.."), ("/a/./b", b"/a/./b"),
        ("/a\\b", b"/a%5Cb"), ("/a/b", b"/a%2Fb"), ("/a\x00", b"/a%00"),
        ("//evil.example", b"//evil"),
        ("/a%2e", b"/a%252e"), ("/a\nb", b"/a%0Ab"),
    ],
)  # fmt: skip
def test_paths_that_leave_the_site_are_refused(path: str, raw: bytes) -> None:
    with pytest.raises(RefusedRequestError):
        guard.refuse_path(path, raw)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "X"])
def test_other_methods_are_refused(method: str) -> None:
    with pytest.raises(RefusedRequestError) as refused:
        guard.refuse_method(method, Headers({}))
    assert 405 == refused.value.status


@pytest.mark.parametrize("name", ["X-HTTP-Method-Override", "X-Original-URL"])
def test_requests_to_be_another_one_are_refused(name: str) -> None:
    with pytest.raises(RefusedRequestError) as refused:
        guard.refuse_method("POST", Headers({name: "DELETE"}))
    assert 400 == refused.value.status


OWN, OTHER = "https://task.example.org", "https://evil.example"


@pytest.mark.parametrize(
    ("expected", "method", "headers"),
    [
        (False, "GET", {"sec-fetch-site": "cross-site", "cookie": "x"}),
        (False, "POST", {"sec-fetch-site": "same-origin", "origin": OWN, "cookie": "x"}),
        (False, "POST", {"origin": OWN, "cookie": "x"}),
        (False, "POST", {}),
        (False, "POST", {"origin": OTHER, "authorization": "Bearer x"}),
        (True, "POST", {"sec-fetch-site": "cross-site"}),
        (True, "POST", {"sec-fetch-site": "same-site", "origin": "https://other.example.org"}),
        (True, "POST", {"sec-fetch-site": "same-origin", "origin": OTHER}),
        (True, "POST", {"origin": OTHER}),
        (True, "POST", {"origin": "null"}),
        (True, "POST", {"cookie": "x"}),
        (True, "POST", {"origin": OTHER, "authorization": "Basic x"}),
    ],
)
def test_only_own_forms_change_something(
    expected: bool, method: str, headers: dict[str, str]
) -> None:
    given = Headers({"host": "task.example.org", **headers})
    assert expected == guard.is_cross_site(method, given)


def test_the_policy_allows_no_script_in_a_page() -> None:
    assert "script-src 'self'" in guard.POLICY
    assert "unsafe" not in guard.POLICY
    assert "*" not in guard.POLICY
