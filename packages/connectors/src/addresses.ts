/** The address of each vendor's API: what a connection has where no other server of the same kind is named. */
export const ADDRESSES: Readonly<Record<string, string>> = {
  github: 'https://api.github.com',
  gitlab: 'https://gitlab.com',
  bitbucket: 'https://api.bitbucket.org',
  jira: 'https://api.atlassian.com',
  linear: 'https://api.linear.app',
  confluence: 'https://api.atlassian.com',
  slack: 'https://slack.com',
  discord: 'https://discord.com',
  teams: 'https://graph.microsoft.com',
  gmail: 'https://gmail.googleapis.com',
  outlook: 'https://graph.microsoft.com',
  google_docs: 'https://docs.googleapis.com',
  google_sheets: 'https://sheets.googleapis.com',
  google_slides: 'https://slides.googleapis.com',
  notion: 'https://api.notion.com',
  excel: 'https://graph.microsoft.com',
  powerpoint: 'https://graph.microsoft.com',
  zoom: 'https://api.zoom.us',
  copilot: 'https://api.github.com',
  claude_code: 'https://api.anthropic.com',
  codex: 'https://api.openai.com',
  cursor: 'https://api.cursor.com',
  windsurf: 'https://server.codeium.com',
}

/** Vendors whose tools need a key. A person's OAuth account opens little or nothing of Discord's. */
export const KEYED: ReadonlySet<string> = new Set(['discord', 'claude_code', 'codex', 'cursor', 'windsurf'])
