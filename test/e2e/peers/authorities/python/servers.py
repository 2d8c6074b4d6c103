"""
An MCP server with its OAuth server, of the published Python packages, on two loopback ports: `sdk` as the SDK's example `simple-auth`
sets them up (apart, introspection between them), `fastmcp` with the OAuth provider that FastMCP brings (together). Access tokens live
for a few seconds, so that they are renewed. The first line printed is JSON: the server's address, and where counts are.
"""

import asyncio
import json
import logging
import secrets
import socket
import sys
import time
from urllib.parse import parse_qs, urlencode
from urllib.request import urlopen

import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse, RedirectResponse
from starlette.routing import Route

LIFE = 3
SCOPE = "user"
counts = {"codes": 0, "refreshes": 0, "revocations": 0}


def bound() -> tuple[socket.socket, str]:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    return listener, f"http://localhost:{listener.getsockname()[1]}"


def serve(app, listener: socket.socket):
    return uvicorn.Server(uvicorn.Config(app, log_level="warning")).serve(sockets=[listener])


def sdk():
    from pydantic import AnyHttpUrl

    from mcp.server.auth.provider import (
        AccessToken,
        AuthorizationCode,
        RefreshToken,
        TokenVerifier,
        construct_redirect_uri,
    )
    from mcp.server.auth.routes import create_auth_routes
    from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions, RevocationOptions
    from mcp.server.mcpserver import MCPServer
    from mcp.shared.auth import OAuthToken

    class People:
        """The SDK asks it; who comes is signed in on a page of its own."""

        def __init__(self, own: str):
            self.own, self.clients, self.waiting = own, {}, {}
            self.codes, self.access, self.refresh = {}, {}, {}

        async def get_client(self, client_id):
            return self.clients.get(client_id)

        async def register_client(self, client):
            self.clients[client.client_id] = client

        async def authorize(self, client, params):
            self.waiting[params.state] = (client, params)
            return f"{self.own}/login?{urlencode({'state': params.state})}"

        def signed_in(self, state):
            client, params = self.waiting.pop(state)
            code = AuthorizationCode(
                code=secrets.token_urlsafe(24),
                client_id=client.client_id,
                redirect_uri=params.redirect_uri,
                redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
                expires_at=time.time() + 60,
                scopes=[SCOPE],
                code_challenge=params.code_challenge,
                resource=params.resource,
            )
            self.codes[code.code] = code
            return construct_redirect_uri(str(params.redirect_uri), code=code.code, state=state)

        async def load_authorization_code(self, client, code):
            return self.codes.get(code)

        async def load_refresh_token(self, client, token):
            return self.refresh.get(token)

        async def load_access_token(self, token):
            return self.access.get(token)

        def tokens(self, client, resource):
            access, refresh = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
            words = {"client_id": client.client_id, "scopes": [SCOPE], "resource": resource}
            self.access[access] = AccessToken(token=access, expires_at=int(time.time()) + LIFE + 1, **words)
            self.refresh[refresh] = RefreshToken(token=refresh, **words)
            return OAuthToken(
                access_token=access, token_type="Bearer", expires_in=LIFE, refresh_token=refresh, scope=SCOPE
            )

        async def exchange_authorization_code(self, client, code):
            counts["codes"] += 1
            del self.codes[code.code]
            return self.tokens(client, code.resource)

        async def exchange_refresh_token(self, client, token, scopes):
            counts["refreshes"] += 1
            del self.refresh[token.token]
            return self.tokens(client, token.resource)

        async def revoke_token(self, token):
            counts["revocations"] += 1
            self.access.pop(token.token, None)
            self.refresh.pop(token.token, None)

    class Introspection(TokenVerifier):
        def __init__(self, at: str):
            self.at = at

        async def verify_token(self, token):
            answer = await asyncio.to_thread(self.introspected, token)
            return AccessToken(**answer) if answer.pop("active") else None

        def introspected(self, token):
            with urlopen(f"{self.at}/introspect", urlencode({"token": token}).encode()) as answer:
                return json.load(answer)

    async def login(request):
        return RedirectResponse(people.signed_in(request.query_params["state"]), 302)

    async def introspect(request):
        found = people.access.get(parse_qs((await request.body()).decode()).get("token", [""])[0])
        dead = found is None or found.expires_at < time.time()
        return JSONResponse({"active": False} if dead else {"active": True, **found.model_dump()})

    authority_listener, authority = bound()
    server_listener, server = bound()
    people = People(authority)
    routes = create_auth_routes(
        provider=people,
        issuer_url=AnyHttpUrl(authority),
        client_registration_options=ClientRegistrationOptions(
            enabled=True, valid_scopes=[SCOPE], default_scopes=[SCOPE]
        ),
        revocation_options=RevocationOptions(enabled=True),
    )
    routes += [
        Route("/login", login),
        Route("/introspect", introspect, methods=["POST"]),
        Route("/counts", answer_counts),
    ]
    mcp = MCPServer(
        name="protected",
        token_verifier=Introspection(authority),
        auth=AuthSettings(
            issuer_url=AnyHttpUrl(authority),
            required_scopes=[SCOPE],
            resource_server_url=AnyHttpUrl(f"{server}/mcp"),
            validate_token_resource=True,
        ),
    )
    mcp.tool(name="get_time")(get_time)
    apps = [(Starlette(routes=routes), authority_listener), (mcp.streamable_http_app(), server_listener)]
    return apps, {"url": f"{server}/mcp", "counts": f"{authority}/counts"}


def fastmcp():
    from fastmcp import FastMCP
    from fastmcp.server.auth.auth import ClientRegistrationOptions, RevocationOptions
    from fastmcp.server.auth.providers import in_memory

    in_memory.DEFAULT_ACCESS_TOKEN_EXPIRY_SECONDS = LIFE

    class Counted(in_memory.InMemoryOAuthProvider):
        async def exchange_authorization_code(self, *given):
            counts["codes"] += 1
            return await super().exchange_authorization_code(*given)

        async def exchange_refresh_token(self, *given):
            counts["refreshes"] += 1
            return await super().exchange_refresh_token(*given)

        async def revoke_token(self, token):
            counts["revocations"] += 1
            await super().revoke_token(token)

    listener, server = bound()
    provider = Counted(
        base_url=server,
        client_registration_options=ClientRegistrationOptions(enabled=True, valid_scopes=[SCOPE]),
        revocation_options=RevocationOptions(enabled=True),
        required_scopes=[SCOPE],
    )
    mcp = FastMCP("protected", auth=provider)
    mcp.tool(name="get_time")(get_time)
    mcp.custom_route("/counts", methods=["GET"])(answer_counts)
    return [(mcp.http_app(), listener)], {"url": f"{server}/mcp", "counts": f"{server}/counts"}


async def answer_counts(_):
    return JSONResponse(counts)


def get_time() -> str:
    """Say what time it is."""
    return f"It is {int(time.time())}."


async def main():
    apps, words = {"sdk": sdk, "fastmcp": fastmcp}[sys.argv[1]]()
    running = [asyncio.create_task(serve(app, listener)) for app, listener in apps]
    await asyncio.sleep(0.5)
    print(json.dumps(words), flush=True)
    await asyncio.gather(*running)


logging.basicConfig(level=logging.WARNING)
asyncio.run(main())
