/**
 * Published advisories about other gateways, SDKs and servers, and the test that covers each lesson.
 * `docs/security/advisories.md` is generated from this list, and a test checks that every named test exists.
 */
export interface Lesson {
  /** As it was published. */
  readonly id: string
  readonly where: string
  readonly lesson: string
  /** `file: words of the title`; empty for what we do not have yet, and then `why` says so. */
  readonly held: readonly string[]
  readonly why?: string
}

const OWN = 'test/security/advisories.test.ts'
const own = (id: string) => `${OWN}: ${id}:`
const row = (id: string, where: string, lesson: string, held: readonly string[], why?: string): Lesson => ({
  id,
  where,
  lesson,
  held,
  ...(why === undefined ? {} : { why }),
})

// prettier-ignore
export const LESSONS: readonly Lesson[] = [
  row('CVE-2026-42271', 'LiteLLM', 'To preview is to execute: what takes a command needs the permission to set up connections, and only the worker starts it.', [own('CVE-2026-42271'), 'test/floors.test.ts: a door starts a child']),
  row('CVE-2026-30623', 'MCP SDKs, stdio', 'The settings of a child are code: no shell, no environment of ours.', ['packages/gateway/src/upstreams/children/worker-link.test.ts: arguments reach it as they are: there is no shell', 'packages/gateway/src/upstreams/children/worker-link.test.ts: is PATH, LANG, folders of its own and the declared variables, nothing else of the gateway']),
  row('CVE-2025-64443', 'Docker MCP Gateway', 'Host and Origin are checked on every listener, and keys are on unless somebody says otherwise.', [own('CVE-2025-64443'), 'test/fault/wire.test.ts: a Host that is not ours is refused everywhere, whatever it resolves to', 'test/e2e/rules/flags.test.ts: S3-AUTH-06']),
  row('CVE-2026-33252', 'MCP Go SDK', 'Parsed once, strictly; what was judged is what goes on, never the bytes.', [own('CVE-2026-33252'), 'test/fault/wire.test.ts: with a name twice mean one thing only: what was read is what goes on']),
  row('CVE-2026-33252, further', 'servers in Go and .NET', 'Names that a server reads as one are refused where a rule names an argument: `Amount` does not pass a rule about `amount`.', ['test/security/argument-names.test.ts: is refused where a rule names it: %s', 'test/security/argument-names.test.ts: is refused at every door that leads to the tool']),
  row('GHSA-g53w-w6mj-hrpp', 'Kuadrant', 'No header is trusted because one of ours might have written it; no default secret.', [own('GHSA-g53w-w6mj-hrpp'), 'packages/gateway/src/vault/root-key.test.ts: is another one in another directory']),
  row('GHSA-wf8q-wvv8-p8jf', 'MCPHub', 'A name in a path is no identity.', [own('GHSA-wf8q-wvv8-p8jf')]),
  row('GHSA-vgf8-3685-66j9', 'ContextForge', 'A token is good at the installation that made it, and nowhere else.', [own('GHSA-vgf8-3685-66j9')]),
  row('CF-3892', 'ContextForge', 'An id of a form that nobody expects is refused, not taken for no id at all.', [own('CF-3892')]),
  row('MSRC-112281', 'Microsoft MCP gateway', 'A session is good at the endpoint that opened it and for who opened it; secrets of ours are sent to nobody.', [own('MSRC-112281'), 'test/e2e/protocol/isolation.test.ts: takes no session of one’s own', 'test/e2e/protocol/isolation.test.ts: never gets the key of a caller; it gets its own credential']),
  row('GHSA-wvr4-3wq4-gpc5', 'mcp-bridge', 'Where no key is set up, nothing is open.', [own('GHSA-wvr4-3wq4-gpc5')]),
  row('CVE-2026-44430', 'MCP Registry', 'No spelling of an address leads to where its plain form may not.', [own('CVE-2026-44430'), 'packages/gateway/src/upstreams/http/agent.test.ts: to this machine is refused in every spelling that a URL knows']),
  row('CF-SSRF', 'ContextForge 1.0.6 to 1.0.8', 'One way out, which judges the address when it connects. A redirect is followed by calls of MCP servers alone, within the origin.', ['test/fault/egress.test.ts: a redirect that never ends is followed three times, and none to another origin', 'packages/gateway/src/upstreams/http/agent.test.ts: to a name that resolves to this machine is refused, however innocent the name']),
  row('CVE-2026-7663', 'Langflow', 'Every transport asks for the same key: one layer above all of them.', [own('CVE-2026-7663')]),
  row('CVE-2026-33032', 'nginx-ui', 'Every route has a rule that says who may.', [own('CVE-2026-33032')]),
  row('THV-6216', 'ToolHive', 'What is not listed cannot be called either.', [own('THV-6216'), 'test/e2e/protocol/isolation.test.ts: S1-CAL-03']),
  row('THV-6235', 'ToolHive', 'Cookie and Authorization of a caller reach no server.', [own('THV-6235')]),
  row('CVE-2026-25536', 'MCP TypeScript SDK', 'Answers go to who asked, also when everybody uses id 0.', [own('CVE-2026-25536'), 'test/e2e/protocol/crowd.test.ts: by $era clients to a $server server each get their own answer', 'test/e2e/protocol/crowd.test.ts: never share an id upstream']),
  row('CVE-2025-66414', 'MCP SDKs (also CVE-2025-66416, CVE-2026-34742, CVE-2026-42559)', 'DNS rebinding is stopped by us, whatever SDK is below.', [own('CVE-2025-64443'), 'packages/gateway/src/http/guard.test.ts: that is pointed here by a name of its own is stopped by that name, before its origin is looked at']),
  row('CVE-2025-49596', 'MCP Inspector', 'Nobody without a name makes us fetch or start anything.', [own('CVE-2025-49596')]),
  row('CVE-2025-6515', 'oatpp-mcp', 'Sessions have names that cannot be guessed, and are bound to who opened them.', [own('CVE-2025-6515'), 'test/e2e/protocol/isolation.test.ts: takes no session of one’s own']),
  row('CVE-2026-55887', 'Docker MCP Gateway', 'Metadata of an image never becomes a launch.', ['packages/gateway/src/upstreams/children/sandbox/container-arguments.test.ts: a container has no network, capabilities, writable root or user of the gateway']),
  row('CVE-2026-29791', 'agentgateway (also Kong 3.13.0.0)', 'Parts of a path are encoded, and stay below their base.', ['packages/gateway/src/upstreams/openapi/run/request.test.ts: never leads outside the base, whatever it is and wherever it goes', 'test/e2e/openapi/openapi.test.ts: that lead elsewhere are refused before anything is sent']),
  row('CVE-2025-6514', 'mcp-remote', 'Metadata of a server is hostile: addresses are checked, nothing is opened on this machine.', ['packages/gateway/src/oauth/outgoing/protocol/discover.test.ts: is not taken from %s', 'packages/gateway/src/oauth/outgoing/protocol/discover.test.ts: is asked for at no private address where the connection is none']),
  row('CF-1078', 'ContextForge', 'Nobody acts with the account of another: it is found by its owner, and who has none is led to connect one.', [own('CF-1078')]),
  row('CF-5043', 'ContextForge', 'Whose account a connection may use is said by the connection, never by who set it up.', ['packages/gateway/src/oauth/outgoing/credentials/call-credentials.test.ts: own before the organization']),
  row('CF-6653', 'ContextForge', 'Tokens of 8 KB are tokens, and go whole or not at all.', ['packages/gateway/src/oauth/outgoing/protocol/outgoing-oauth.test.ts: takes a token of 8 KB, and none that no header carries']),
  row('BIF-2557', 'Bifrost', 'A network that fails while an account is renewed ends no account.', ['packages/gateway/src/oauth/outgoing/credentials/call-credentials.test.ts: that cannot be renewed for a moment serves as long as it is good, stays, and is tried again later']),
  row('LL-31362', 'LiteLLM (also Bifrost 2806)', 'A server that takes an account no more is heard: the person is asked, and the new account is used.', ['test/e2e/connections/repair.test.ts: is connected anew from within the call of %s, which goes on by itself']),
  row('DKR-467', 'Docker MCP Gateway', 'A secret is found by its exact name, for the very address that it was made for.', ['packages/gateway/src/oauth/outgoing/credentials/keep-credentials.test.ts: is used only at the address that it was made for, and was renewed only where it came from']),
  row('MCP-BP-1', 'MCP, security best practices: confused deputy', 'A link that connects an account is good for its person alone, and a state for the browser that began.', ['test/e2e/accounts/connect-key.test.ts: a link is of no use to anybody else, and tells them nothing', 'packages/gateway/src/oauth/outgoing/flows/flows.test.ts: ends once, in time and in the browser that began; anything else changes nothing']),
  row('MCP-BP-2', 'MCP, security best practices: token passthrough', 'What a caller is known by here goes to no server, not even when the caller asks for it.', ['test/e2e/connections/brought.test.ts: is refused when it is none, or opens this gateway; what the caller is known by goes to no server', 'test/security/canaries.test.ts: the key of this gateway, with which she calls, went to no server']),
  row('RFC-9207', 'OAuth 2.0, mix-up attacks', 'An answer that names another issuer is exchanged nowhere.', ['test/e2e/accounts/outgoing-oauth.test.ts: an answer that names another issuer is not exchanged, and its error is not believed']),
  row('CVE-2026-0621', 'MCP TypeScript SDK', 'A template that others wrote never becomes an expression that backtracks.', ['packages/connectors/src/kit/resources.test.ts: that has every separator a thousand times is matched at once', 'test/e2e/integrations/own-connector.test.ts: is refused for a template with variables side by side']),
  row('langfuse 15401', 'Langfuse', 'A new address never keeps the secret of the old one.', ['test/e2e/connections/further-addresses.test.ts: an administrator of an organization points neither the secrets nor the leave for private networks elsewhere', 'test/e2e/uru/agent.test.ts: a key is not sent to another address than the one that it was given for', 'packages/gateway/src/oauth/outgoing/credentials/keep-credentials.test.ts: is used only at the address that it was made for, and was renewed only where it came from']),
  row('langflow 15208', 'Langflow', 'A secret is bound to its destination, in whichever field the address stands.', ['test/e2e/connections/further-addresses.test.ts: an administrator of an organization points neither the secrets nor the leave for private networks elsewhere', 'test/e2e/uru/agent.test.ts: a key is not sent to another address than the one that it was given for', 'packages/gateway/src/oauth/outgoing/credentials/keep-credentials.test.ts: is used only at the address that it was made for, and was renewed only where it came from']),
  row('GHSA-mvgg-jvj2-4frq', 'agentgateway', 'A session is good at the endpoint that opened it; the rules of another endpoint are not put in place of its own.', [own('MSRC-112281'), 'test/e2e/protocol/isolation.test.ts: takes no session of one’s own']),
  row('CVE-2026-59822', 'LiteLLM', 'A credential that is not known is refused, whatever else could be done with it: nothing falls back to a caller without a name.', [own('CVE-2026-7663'), 'packages/gateway/src/identity/identify.test.ts: an unknown key is refused in words']),
  row('CVE-2026-35030', 'LiteLLM', 'A caller is remembered by a digest of the whole credential, never by its beginning.', ['packages/gateway/src/identity/identify.test.ts: never takes one key for another, not even where they differ in their last characters only']),
  row('CVE-2026-52869', 'MCP Python SDK', 'Whoever has the id of a session does not have the session.', [own('MSRC-112281'), 'test/e2e/protocol/isolation.test.ts: takes no session of one’s own']),
  row('CVE-2026-52870', 'MCP Python SDK', 'A task belongs to who made it, and is in nobody else’s list.', ['test/e2e/protocol/tasks.test.ts: of a %s server is nobody’s but its caller’s, and of its connection’s', 'test/e2e/protocol/tasks.test.ts: that was made as a legacy one is in no other principal’s list', 'test/e2e/protocol/tasks.test.ts: of one client is in no list of another client of the same person']),
  row('CVE-2026-59950', 'MCP Python SDK', 'WebSockets check Host and Origin as all other doors do.', ['test/e2e/records/lines.test.ts: S3-MCP-12', 'test/fault/wire.test.ts: two lines of Host or of Authorization are refused at every door, sockets included, whichever is good']),
  row('GHSA-h7x2-h6g9-p789', 'MLflow AI Gateway', 'The address of a model is judged as every address is: public, or allowed to the organization.', ['test/e2e/uru/agent.test.ts: its address has to be public or allowed, and its key is never shown']),
  row('postmark-mcp', 'postmark-mcp 1.0.16', 'A server that changes its tools is held until somebody agrees.', ['test/e2e/catalog/tool-lock.test.ts: is neither listed nor callable, in no era; who calls it is told who must look, and the rest goes on']),
]
