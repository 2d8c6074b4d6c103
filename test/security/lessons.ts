/**
 * What was published about other gateways, SDKs and servers, and which of our tests holds the lesson. `docs/security/advisories.md`
 * is made of this list, and a test checks that every test it names is there.
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
  row('CVE-2025-64443', 'Docker MCP Gateway', 'Host and Origin are checked on every listener, and keys are on unless somebody says otherwise.', [own('CVE-2025-64443'), 'test/fault/wire.test.ts: a Host that is not ours is refused everywhere, whatever it resolves to', 'test/e2e/flags.test.ts: S3-AUTH-06']),
  row('CVE-2026-33252', 'MCP Go SDK', 'Parsed once, strictly; what was judged is what goes on, never the bytes.', [own('CVE-2026-33252'), 'test/fault/wire.test.ts: with a name twice mean one thing only: what was read is what goes on']),
  row('GHSA-g53w-w6mj-hrpp', 'Kuadrant', 'No header is trusted because one of ours might have written it; no default secret.', [own('GHSA-g53w-w6mj-hrpp'), 'packages/gateway/src/vault/root-key.test.ts: is another one in another directory']),
  row('GHSA-wf8q-wvv8-p8jf', 'MCPHub', 'A name in a path is no identity.', [own('GHSA-wf8q-wvv8-p8jf')]),
  row('GHSA-vgf8-3685-66j9', 'ContextForge', 'A token is good at the installation that made it, and nowhere else.', [own('GHSA-vgf8-3685-66j9')]),
  row('CF-3892', 'ContextForge', 'An id of a form that nobody expects is refused, not taken for no id at all.', [own('CF-3892')]),
  row('MSRC-112281', 'Microsoft MCP gateway', 'A session is good at the endpoint that opened it and for who opened it; secrets of ours are sent to nobody.', [own('MSRC-112281'), 'test/e2e/isolation.test.ts: takes no session of one’s own', 'test/e2e/isolation.test.ts: never gets the key of a caller; it gets its own credential']),
  row('GHSA-wvr4-3wq4-gpc5', 'mcp-bridge', 'Where no key is set up, nothing is open.', [own('GHSA-wvr4-3wq4-gpc5')]),
  row('CVE-2026-44430', 'MCP Registry', 'No spelling of an address leads to where its plain form may not.', [own('CVE-2026-44430'), 'packages/gateway/src/upstreams/http/agent.test.ts: to this machine is refused in every spelling that a URL knows']),
  row('CF-SSRF', 'ContextForge 1.0.6 to 1.0.8', 'One way out, which judges the address when it connects and follows no redirect.', ['test/fault/egress.test.ts: a redirect is not followed, not even to the same place', 'packages/gateway/src/upstreams/http/agent.test.ts: to a name that resolves to this machine is refused, however innocent the name']),
  row('CVE-2026-7663', 'Langflow', 'Every transport asks for the same key: one layer above all of them.', [own('CVE-2026-7663')]),
  row('CVE-2026-33032', 'nginx-ui', 'Every route has a rule that says who may.', [own('CVE-2026-33032')]),
  row('THV-6216', 'ToolHive', 'What is not listed cannot be called either.', [own('THV-6216'), 'test/e2e/isolation.test.ts: S1-CAL-03']),
  row('THV-6235', 'ToolHive', 'Cookie and Authorization of a caller reach no server.', [own('THV-6235')]),
  row('CVE-2026-25536', 'MCP TypeScript SDK', 'Answers go to who asked, also when everybody uses id 0.', [own('CVE-2026-25536'), 'test/e2e/crowd.test.ts: by $era clients to a $server server each get their own answer', 'test/e2e/crowd.test.ts: never share an id upstream']),
  row('CVE-2025-66414', 'MCP SDKs (also CVE-2025-66416, CVE-2026-34742, CVE-2026-42559)', 'DNS rebinding is stopped by us, whatever SDK is below.', [own('CVE-2025-64443'), 'packages/gateway/src/http/guard.test.ts: that is pointed here by a name of its own is stopped by that name, before its origin is looked at']),
  row('CVE-2025-49596', 'MCP Inspector', 'Nobody without a name makes us fetch or start anything.', [own('CVE-2025-49596')]),
  row('CVE-2025-6515', 'oatpp-mcp', 'Sessions have names that cannot be guessed, and are bound to who opened them.', [own('CVE-2025-6515'), 'test/e2e/isolation.test.ts: takes no session of one’s own']),
  row('CVE-2026-55887', 'Docker MCP Gateway', 'Metadata of an image never becomes a launch.', [], 'we start no images'),
  row('CVE-2026-29791', 'agentgateway (also Kong 3.13.0.0)', 'Parts of a path are encoded, and stay below their base.', [], 'we call no HTTP interfaces yet; it comes with connectors'),
  row('CVE-2025-6514', 'mcp-remote', 'Metadata of a server is hostile: addresses are checked, nothing is opened on this machine.', [], 'we sign in to no server yet; it comes with credentials of connections'),
  row('postmark-mcp', 'postmark-mcp 1.0.16', 'A server that changes its tools is held until somebody agrees.', [], 'it comes with the lock of tool contracts'),
]
