/**
 * Builds the configuration with which each AI client reaches this gateway with a key.
 *
 * Texts are ready to paste. Formats are those that the clients document: Claude Desktop's file takes only processes, so on the
 * gateway's own machine it starts the bridge that is installed there, and elsewhere mcp-remote, which npx fetches (README of
 * 0.15.1, whose advice on spaces in arguments is followed); Claude Code `claude mcp add` (code.claude.com/docs/en/mcp); Cursor
 * `mcpServers` with `url` (cursor.com/docs/mcp); VS Code `servers` with `type`
 * (code.visualstudio.com/docs/copilot/reference/mcp-configuration); Codex `[mcp_servers]` with `http_headers`
 * (developers.openai.com/codex/mcp; an inline bearer_token is refused there); Gemini CLI `httpUrl`
 * (geminicli.com/docs/tools/mcp-server; `url` means SSE there); opencode `mcp` with `type: remote` (opencode.ai/docs/mcp-servers;
 * below `mcp.servers` since version 2); Open WebUI 0.6.31 and later (docs.openwebui.com/features/extensibility/mcp). Address and
 * key are validated first, so that nothing in them can end a quotation in a shell or a file. The texts contain the key: show them
 * once, to its owner, and never log them.
 */
export type ConfiguredClient =
  | 'Claude Desktop'
  | 'Claude Code'
  | 'Cursor'
  | 'VS Code'
  | 'Codex'
  | 'Gemini CLI'
  | 'opencode'
  | 'Open WebUI'

export interface ClientConfiguration {
  client: ConfiguredClient
  /** The file or the screen the text goes to. */
  where: string
  /** Ready to paste: JSON, TOML, a command, or the fields of a form. Holds the key. */
  text: string
}

/** The name the gateway has in each client. */
const NAME = 'toolway'

/** How the stdio bridge is started on this machine: absolute paths, because a client's PATH is not a shell's. */
export interface BridgeStart {
  readonly node: string
  readonly file: string
}

export interface Reached {
  readonly url: string
  readonly key: string
  /** Where the clients are on this machine too; undefined where they may be anywhere. */
  readonly bridge?: BridgeStart | undefined
}

/**
 * The configurations in the order people meet the clients. `url` is the gateway's MCP address (http or https), `key` a
 * bearer token by RFC 6750 section 2.1. Throws an Error on anything else, without repeating the key.
 */
export function clientConfigurations({ url, key, bridge }: Reached): ClientConfiguration[] {
  const address = checkedUrl(url)
  if (!/^[A-Za-z0-9\-._~+/]+=*$/.test(key))
    throw new Error('The key is not a bearer token: only letters, digits and - . _ ~ + / are allowed.')
  const bearer = `Bearer ${key}`
  return [
    bridge === undefined ? claudeDesktop(address, bearer) : claudeDesktopHere(address, key, bridge),
    claudeCode(address, bearer),
    cursor(address, bearer),
    vsCode(address, bearer),
    codex(address, bearer),
    geminiCli(address, bearer),
    opencode(address, bearer),
    openWebUi(address, key),
  ]
}

/** The address in its normal form, with the characters escaped that a shell reads inside double quotes. */
function checkedUrl(text: string): string {
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new Error('The address of the gateway must begin with https:// or http://.')
  }
  if (url.username || url.password)
    throw new Error('The address of the gateway must not contain a user name or password.')
  return url.href.replaceAll(/[$`!\\"']/g, (symbol) => `%${symbol.charCodeAt(0).toString(16).toUpperCase()}`)
}

const DESKTOP_FILE =
  'Settings > Developer > Edit Config, which opens claude_desktop_config.json (macOS: ~/Library/Application Support/Claude, Windows: %APPDATA%\\Claude)'

function claudeDesktopHere(url: string, key: string, { node, file }: BridgeStart): ClientConfiguration {
  const entry = { command: node, args: [file, '--url', url], env: { TOOLWAY_KEY: key } }
  return {
    client: 'Claude Desktop',
    where: `${DESKTOP_FILE}; restart Claude Desktop afterwards`,
    text: json({ mcpServers: { [NAME]: entry } }),
  }
}

function claudeDesktop(url: string, bearer: string): ClientConfiguration {
  // mcp-remote takes plain http from anything but localhost only when it is told to.
  const plain = url.startsWith('http:') ? ['--allow-http'] : []
  const args = [
    '-y',
    'mcp-remote',
    url,
    '--header',
    'Authorization:${TOOLWAY_AUTHORIZATION}',
    '--transport',
    'http-only',
    ...plain,
  ]
  return {
    client: 'Claude Desktop',
    where: `${DESKTOP_FILE}; needs Node.js; restart Claude Desktop afterwards`,
    text: json({ mcpServers: { [NAME]: { command: 'npx', args, env: { TOOLWAY_AUTHORIZATION: bearer } } } }),
  }
}

function claudeCode(url: string, bearer: string): ClientConfiguration {
  return {
    client: 'Claude Code',
    where: 'a terminal; --scope user makes it available in every project',
    // The header stands last: the option takes every word after it.
    text: `claude mcp add --scope user --transport http ${NAME} "${url}" --header "Authorization: ${bearer}"`,
  }
}

function cursor(url: string, bearer: string): ClientConfiguration {
  return {
    client: 'Cursor',
    where: '~/.cursor/mcp.json for every project, or .cursor/mcp.json in one project',
    text: json({ mcpServers: { [NAME]: { url, headers: { Authorization: bearer } } } }),
  }
}

function vsCode(url: string, bearer: string): ClientConfiguration {
  return {
    client: 'VS Code',
    where: 'mcp.json (Command Palette > MCP: Open User Configuration) or, for a single project, .vscode/mcp.json',
    text: json({ servers: { [NAME]: { type: 'http', url, headers: { Authorization: bearer } } } }),
  }
}

function codex(url: string, bearer: string): ClientConfiguration {
  return {
    client: 'Codex',
    where: '~/.codex/config.toml',
    text: [
      `[mcp_servers.${NAME}]`,
      `url = ${tomlText(url)}`,
      `http_headers = { "Authorization" = ${tomlText(bearer)} }`,
    ].join('\n'),
  }
}

function geminiCli(url: string, bearer: string): ClientConfiguration {
  return {
    client: 'Gemini CLI',
    where: '~/.gemini/settings.json for every project, or .gemini/settings.json in one project',
    text: json({ mcpServers: { [NAME]: { httpUrl: url, headers: { Authorization: bearer } } } }),
  }
}

function opencode(url: string, bearer: string): ClientConfiguration {
  return {
    client: 'opencode',
    where:
      '~/.config/opencode/opencode.json, or opencode.json in one project; in opencode 2, the entry goes under mcp.servers',
    text: json({ mcp: { [NAME]: { type: 'remote', url, headers: { Authorization: bearer } } } }),
  }
}

function openWebUi(url: string, key: string): ClientConfiguration {
  return {
    client: 'Open WebUI',
    where:
      'Settings > Admin > Integrations (formerly Admin Settings > External Tools) > + (Add Server); from a container, use host.docker.internal instead of localhost',
    text: [
      'Type: MCP (Streamable HTTP)',
      `URL: ${url}`,
      'Auth: Bearer',
      `Key: ${key}`,
      `ID: ${NAME}`,
      'Name: Toolway',
    ].join('\n'),
  }
}

const json = (value: unknown) => JSON.stringify(value, null, 2)

/** A TOML basic string; its escapes are those of JSON for all that checkedUrl and the key's form let through. */
const tomlText = (text: string) => JSON.stringify(text)
