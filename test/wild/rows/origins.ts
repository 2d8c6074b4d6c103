/**
 * Whose behaviour a row has: a product, a kind of program, a public report, or `variation`, where it was made from a reported one. Sources:
 * 138 public reports and files about clients, gateways and SDKs, tried in November 2026.
 */
import type { Border } from './row.ts'

export const VARIATION = 'variation'
export const REPORT = 'public report'

type Origins = readonly (readonly [behaviour: RegExp, origin: string])[]

const ORIGINS: Readonly<Record<Border, Origins>> = {
  definition: [
    [/PHP|\[\]|\{\}$/, 'PHP frameworks'],
    [/title null|hints null/, 'GitHub, Linear'],
    [/draft 3|required true/, 'draft 3 of JSON Schema'],
    [/: (no inputSchema|inputSchema (null|true)|anyOf without type|inputSchema of a text|properties null)/, REPORT],
    [/refers to nothing|boolean property|outputSchema without type/, REPORT],
    [/arguments null/, 'programs in Go'],
  ],
  result: [
    [/address of data/, 'web pages'],
    [/null/, REPORT],
  ],
  answer: [
    [/another name before the answer/, 'DeepWiki'],
    [/heartbeat|named event|as data/, REPORT],
    [/gzip|GZIP|deflate|^br$|zstd|codings|a br stream/, 'CDNs'],
    [/its id as a text|error: null|null and params/, 'stdio servers'],
    [/batch/, 'servers of 2025-03-26'],
    [/byte order mark|charset/, 'Windows programs'],
    [/another interface/, 'proxies'],
    [/-32020/, REPORT],
  ],
  greeting: [
    [/500 and an error of JSON-RPC/, 'Java SDK'],
    [/^silence/, 'fastmcp'],
    [/500|503|hang-up/, REPORT],
  ],
  session: [
    [/400 with (id null|the id)/, 'Python and Go SDKs'],
    [/404 with the id/, 'official reference server'],
    [/node$|503/, 'several processes behind a proxy'],
    [/HTTP\+SSE/, 'servers of 2024-11-05'],
    [/^(lost: )?(401|410|500|200 with -3200[01])/, REPORT],
  ],
  'token server': [
    [/slash/, 'Google, JumpCloud, Auth0'],
    [/token_type (missing|null)|no token_type/, 'Shopify, LinkedIn, Slack'],
    [/null|""|status 200|200 with/, REPORT],
  ],
  document: [
    [/another file|nowhere|a path in/, 'DigitalOcean'],
    [/keys that model APIs refuse/, 'Twilio'],
    [/all objects inherit|aliases|levels|metadata|another address|\.\./, 'attack'],
    [/the same in YAML/, 'attack'],
  ],
  'settings file': [
    [/\$\{\{|requestOptions/, 'Continue'],
    [/\{\{|authorization_type/, 'LibreChat'],
    [/\{(env|file):/, 'opencode'],
    [/\$\{env:|\$\{command:|\$\{input:/, 'VS Code'],
    [/%(KEY|NONE|USERPROFILE)%/, 'Windows'],
    [/\$env:/, 'PowerShell'],
    [/userHome|workspaceFolder/, 'Cursor'],
    [/\$\{[A-Z]+(:|\})/, 'Claude Code'],
    [/\$(KEY|NONE|HOME)|includeTools|excludeTools/, 'Gemini CLI'],
    [/_env_var|env_http_headers|http_headers|enabled_tools|disabled_tools|TOML/, 'Codex'],
    [/disabledTools/, 'Windsurf'],
    [/bearerToken|requestInit|"tools"/, REPORT],
  ],
  client: [
    [/arguments that are null/, 'programs in Go'],
    [/byte order mark/, 'Windows programs'],
    [/accept for/, 'curl'],
    [/batch/, 'clients of 2025-03-26'],
    [/charset/, 'no-code tools'],
  ],
}

export const originOf = (border: Border, behaviour: string): string =>
  ORIGINS[border].find(([pattern]) => pattern.test(behaviour))?.[1] ?? VARIATION
