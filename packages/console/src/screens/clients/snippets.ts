/**
 * The texts that clients take, made of an endpoint's name and address and of a key: JSON, TOML, commands, fields and links.
 *
 * Nothing in a name or a key can end a quotation: names are slugs, keys are bearer tokens (RFC 6750, section 2.1), and addresses are
 * escaped where a shell reads them.
 */
export interface Setup {
  /** Of the server, as the client is to know it. */
  readonly name: string
  readonly url: string
  /** Undefined: it signs in by itself, in a browser. */
  readonly key: string | undefined
  /** How the stdio bridge is started where the client is on the gateway's own machine. */
  readonly bridge: { readonly command: string; readonly file: string } | null
}

export interface Snippet {
  readonly kind: 'json' | 'toml' | 'shell' | 'fields' | 'link'
  readonly text: string
  /** Where it goes. */
  readonly file?: string
}

const json = (value: unknown) => JSON.stringify(value, null, 2)
const bearer = (key: string) => `Bearer ${key}`
/** Headers of an entry, where there is a key. */
const headers = ({ key }: Setup) => (key === undefined ? {} : { headers: { Authorization: bearer(key) } })

/** An entry for an address, under the name that this client has for one. */
export const entries = (setup: Setup, member: 'url' | 'serverUrl' | 'httpUrl', type?: 'http'): Snippet => ({
  kind: 'json',
  text: json({
    mcpServers: { [setup.name]: { ...(type && { type }), [member]: setup.url, ...headers(setup) } },
  }),
})

/** `mcp` with the name of the server directly below it; version 2 has it below `mcp.servers` (opencode.ai/docs/mcp-servers). */
export const opencode = (setup: Setup): Snippet => ({
  kind: 'json',
  text: json({ mcp: { [setup.name]: { type: 'remote', url: setup.url, ...headers(setup) } } }),
})

export const opencodeAuth = (setup: Setup): Snippet => ({ kind: 'shell', text: `opencode mcp auth ${setup.name}` })

export const vsCode = (setup: Setup): Snippet => ({
  kind: 'json',
  text: json({ servers: { [setup.name]: { type: 'http', url: setup.url, ...headers(setup) } } }),
})

/** An entry for a client that only starts programs: mcp-remote 0.1, whose advice on spaces in arguments is followed. */
export const throughRemote = (setup: Setup): Snippet => {
  const { name, url, key } = setup
  // Plain http to anything but this machine is taken only when it is told to.
  const plain = url.startsWith('http:') ? ['--allow-http'] : []
  const header = key === undefined ? [] : ['--header', 'Authorization:${TOOLWAY_AUTHORIZATION}']
  const args = ['-y', 'mcp-remote', url, ...header, '--transport', 'http-only', ...plain]
  const env = key === undefined ? {} : { env: { TOOLWAY_AUTHORIZATION: bearer(key) } }
  return { kind: 'json', text: json({ mcpServers: { [name]: { command: 'npx', args, ...env } } }) }
}

/** The same by Toolway's own bridge, which needs a key. */
export const throughBridge = ({ name, url, key, bridge }: Setup): Snippet | undefined =>
  bridge === null || key === undefined
    ? undefined
    : {
        kind: 'json',
        text: json({
          mcpServers: {
            [name]: { command: bridge.command, args: [bridge.file, '--url', url], env: { TOOLWAY_KEY: key } },
          },
        }),
      }

/** Escaped for what a shell reads inside double quotes. */
const quoted = (url: string) =>
  `"${url.replaceAll(/[$`!\\"']/g, (symbol) => `%${symbol.charCodeAt(0).toString(16).toUpperCase()}`)}"`

// The header stands last: the option takes every word after it.
export const claudeCode = ({ name, url, key }: Setup): Snippet => ({
  kind: 'shell',
  text: `claude mcp add --scope user --transport http ${name} ${quoted(url)}${
    key === undefined ? '' : ` --header "Authorization: ${bearer(key)}"`
  }`,
})

export const geminiCli = ({ name, url, key }: Setup): Snippet => ({
  kind: 'shell',
  text: `gemini mcp add --scope user --transport http ${
    key === undefined ? '' : `--header "Authorization: ${bearer(key)}" `
  }${name} ${quoted(url)}`,
})

export const codexAdd = ({ name, url }: Setup): Snippet => ({
  kind: 'shell',
  text: `codex mcp add ${name} --url ${quoted(url)}`,
})
export const codexLogin = ({ name }: Setup): Snippet => ({ kind: 'shell', text: `codex mcp login ${name}` })

/** A TOML basic string has the escapes of JSON for all that is in these. */
export const codexToml = ({ name, url, key }: Setup): Snippet => ({
  kind: 'toml',
  text: [
    `[mcp_servers.${name}]`,
    `url = ${JSON.stringify(url)}`,
    ...(key === undefined ? [] : [`http_headers = { "Authorization" = ${JSON.stringify(bearer(key))} }`]),
  ].join('\n'),
})

export const fields = (pairs: Readonly<Record<string, string>>): Snippet => ({
  kind: 'fields',
  text: Object.entries(pairs)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n'),
})

/** `cursor://anysphere.cursor-deeplink/mcp/install?name=…&config=…`, the second in base64 (cursor.com/docs/mcp/install-links). */
export const cursorLink = (setup: Setup): Snippet => ({
  kind: 'link',
  text: `cursor://anysphere.cursor-deeplink/mcp/install?name=${encodeURIComponent(setup.name)}&config=${encodeURIComponent(
    btoa(JSON.stringify({ url: setup.url, ...headers(setup) })),
  )}`,
})

/** `vscode:mcp/install?…`, an entry with its name as JSON (code.visualstudio.com/api/extension-guides/ai/mcp). */
export const vsCodeLink = (setup: Setup): Snippet => ({
  kind: 'link',
  text: `vscode:mcp/install?${encodeURIComponent(
    JSON.stringify({ name: setup.name, type: 'http', url: setup.url, ...headers(setup) }),
  )}`,
})

export const withFile = (snippet: Snippet, file: string): Snippet => ({ ...snippet, file })
