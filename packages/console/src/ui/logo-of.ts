/**
 * The logo of a service or client. It follows from facts that its server cannot choose: the connector of the product, or the host that
 * requests go to. What a server calls itself decides nothing, so none can pass for somebody else's.
 */
const CONNECTORS: Readonly<Record<string, string>> = {
  bitbucket: 'bitbucket',
  claude_code: 'claudecode',
  codex: 'codex',
  confluence: 'confluence',
  copilot: 'githubcopilot',
  cursor: 'cursor',
  discord: 'discord',
  excel: 'excel',
  github: 'github',
  gitlab: 'gitlab',
  gmail: 'gmail',
  google_docs: 'googledocs',
  google_sheets: 'googlesheets',
  google_slides: 'googleslides',
  jira: 'jira',
  linear: 'linear',
  notion: 'notion',
  outlook: 'outlook',
  powerpoint: 'powerpoint',
  slack: 'slack',
  teams: 'teams',
  windsurf: 'windsurf',
  zoom: 'zoom',
}

/** A server at one of these domains, or below one, belongs to the vendor. */
const DOMAINS: Readonly<Record<string, string>> = {
  'airtable.com': 'airtable',
  'asana.com': 'asana',
  'atlassian.com': 'atlassian',
  'atlassian.net': 'atlassian',
  'bitbucket.org': 'bitbucket',
  'box.com': 'box',
  'clickup.com': 'clickup',
  'cloudflare.com': 'cloudflare',
  'discord.com': 'discord',
  'dropbox.com': 'dropbox',
  'figma.com': 'figma',
  'github.com': 'github',
  'githubcopilot.com': 'github',
  'gitlab.com': 'gitlab',
  'grafana.com': 'grafana',
  'hubspot.com': 'hubspot',
  'huggingface.co': 'huggingface',
  'intercom.com': 'intercom',
  'linear.app': 'linear',
  'microsoft.com': 'microsoft',
  'mongodb.com': 'mongodb',
  'notion.com': 'notion',
  'paypal.com': 'paypal',
  'sentry.dev': 'sentry',
  'sentry.io': 'sentry',
  'shopify.com': 'shopify',
  'slack.com': 'slack',
  'stripe.com': 'stripe',
  'supabase.com': 'supabase',
  'todoist.net': 'todoist',
  'trello.com': 'trello',
  'vercel.com': 'vercel',
  'zapier.com': 'zapier',
  'zoom.us': 'zoom',
}

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

/** What of a connection its logo follows from. */
export interface Sourced {
  readonly connector: string
  readonly url: string | null
  readonly native?: { readonly vendor: string; readonly source: string | null } | null
}

export function logoOfConnection({ connector, url, native }: Sourced): string | undefined {
  // Somebody's own connector may have any name.
  if (native !== null && native !== undefined) return native.source === null ? CONNECTORS[native.vendor] : undefined
  return SERVICES[connector] ?? (url === null ? undefined : logoOfHost(url))
}

/** Of a row of the catalog, which the product itself has. */
export const logoOfService = (icon: string): string | undefined => CONNECTORS[icon] ?? SERVICES[icon] ?? PROGRAMS[icon]
/** Kinds of connections that are one service each. */
const SERVICES: Readonly<Record<string, string>> = { n8n: 'n8n' }
const PROGRAMS: Readonly<Record<string, string>> = { youtube: 'youtube', video_audio: 'ffmpeg' }

export const logoOfClient = (id: string): string | undefined => CLIENTS[id]

function logoOfHost(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const labels = new URL(url).hostname.split('.')
  for (let from = 0; from < labels.length - 1; from += 1) {
    const logo = DOMAINS[labels.slice(from).join('.')]
    if (logo !== undefined) return logo
  }
  return undefined
}

/** Every logo that can be asked for. */
export const LOGOS: readonly string[] = [
  ...new Set([CONNECTORS, DOMAINS, CLIENTS, SERVICES, PROGRAMS].flatMap((names) => Object.values(names))),
].sort()
