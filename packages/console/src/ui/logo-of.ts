/**
 * The logo of a service or client. It follows from facts that its server cannot choose: the connector of the product, or the host that
 * requests go to. What a server calls itself decides nothing, so none can pass for somebody else's.
 */
const CONNECTORS = new Set(
  'bitbucket claude_code codex confluence copilot cursor discord excel github gitlab gmail google_docs google_sheets google_slides jira linear notion outlook powerpoint slack teams windsurf zoom'.split(
    ' ',
  ),
)

/** A server at one of these domains, or below one, belongs to the vendor that its first label names. */
const DOMAINS = new Set(
  'airtable.com asana.com atlassian.com atlassian.net bitbucket.org cloudflare.com discord.com dropbox.com figma.com github.com githubcopilot.com gitlab.com grafana.com hubspot.com huggingface.co intercom.com linear.app microsoft.com mongodb.com notion.com paypal.com sentry.dev sentry.io shopify.com slack.com stripe.com supabase.com vercel.com zapier.com zoom.us'.split(
    ' ',
  ),
)

const ofConnector = (name: string): string | undefined =>
  CONNECTORS.has(name) ? (name === 'copilot' ? 'githubcopilot' : name.replaceAll('_', '')) : undefined

/** The MCP server of GitHub is at its domain for Copilot. */
const ofDomain = (domain: string): string | undefined =>
  DOMAINS.has(domain) ? (domain === 'githubcopilot.com' ? 'github' : domain.split('.')[0]) : undefined

const CLIENTS: Readonly<Record<string, string>> = {
  'claude-code': 'claudecode',
  codex: 'codex',
  'gemini-cli': 'googlegemini',
  opencode: 'opencode',
  'claude-desktop': 'claude',
  'claude-web': 'claude',
  chatgpt: 'openai',
  cursor: 'cursor',
  vscode: 'vscode',
  windsurf: 'windsurf',
  n8n: 'n8n',
  'open-webui': 'open-webui',
  generic: 'modelcontextprotocol',
}

/** The facts of a connection from which its logo follows. */
export interface Sourced {
  readonly connector: string
  readonly url: string | null
  readonly native?: { readonly vendor: string; readonly supplied: boolean } | null
}

export function logoOfConnection({ connector, url, native }: Sourced): string | undefined {
  // Somebody's own connector may have any name.
  if (native !== null && native !== undefined) return native.supplied ? undefined : ofConnector(native.vendor)
  return SERVICES[connector] ?? (url === null ? undefined : logoOfHost(url))
}

/** Of a row of the catalog, which the product itself has. */
export const logoOfService = (icon: string): string | undefined => ofConnector(icon) ?? SERVICES[icon] ?? PROGRAMS[icon]
/** Kinds of connections that are one service each. */
const SERVICES: Readonly<Record<string, string>> = { n8n: 'n8n' }
const PROGRAMS: Readonly<Record<string, string>> = { youtube: 'youtube', video_audio: 'ffmpeg' }

export const logoOfClient = (id: string): string | undefined => CLIENTS[id]

function logoOfHost(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const labels = new URL(url).hostname.split('.')
  for (let from = 0; from < labels.length - 1; from += 1) {
    const logo = ofDomain(labels.slice(from).join('.'))
    if (logo !== undefined) return logo
  }
  return undefined
}

/** Every logo that can be asked for; for the test of the file of logos. */
export const logosThatCanBeAsked = (): (string | undefined)[] => [
  ...Array.from(CONNECTORS, ofConnector),
  ...Array.from(DOMAINS, ofDomain),
  ...[CLIENTS, SERVICES, PROGRAMS].flatMap((names) => Object.values(names)),
]
