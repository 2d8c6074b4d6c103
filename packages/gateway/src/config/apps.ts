/** The OAuth apps of this gateway at vendors, for organizations that have none of their own. */
import { ConfigFault } from './fault.ts'
import { notPlaceholder, defineSetting, type Setting, type ValuesOf } from './setting.ts'

const clientId = (vendor: string, serves: string) =>
  defineSetting(
    notPlaceholder,
    `Client ID of this gateway at ${vendor} (${serves}), for organizations that have no OAuth app of their own.`,
  )
const clientSecret = (prefix: string) => defineSetting(notPlaceholder, `Client secret for ${prefix}_CLIENT_ID.`, true)

export const APP_SETTINGS = {
  GITHUB_CLIENT_ID: clientId('GitHub', 'github, copilot'),
  GITHUB_CLIENT_SECRET: clientSecret('GITHUB'),
  GITLAB_CLIENT_ID: clientId('GitLab', 'gitlab'),
  GITLAB_CLIENT_SECRET: clientSecret('GITLAB'),
  GOOGLE_CLIENT_ID: clientId('Google', 'gmail, google_docs, google_sheets, google_slides, google_calendar'),
  GOOGLE_CLIENT_SECRET: clientSecret('GOOGLE'),
  NOTION_CLIENT_ID: clientId('Notion', 'notion'),
  NOTION_CLIENT_SECRET: clientSecret('NOTION'),
  ZOOM_CLIENT_ID: clientId('Zoom', 'zoom'),
  ZOOM_CLIENT_SECRET: clientSecret('ZOOM'),
  MICROSOFT_CLIENT_ID: clientId('Microsoft', 'microsoft, teams, outlook, excel, powerpoint'),
  MICROSOFT_CLIENT_SECRET: clientSecret('MICROSOFT'),
  BITBUCKET_CLIENT_ID: clientId('Bitbucket', 'bitbucket'),
  BITBUCKET_CLIENT_SECRET: clientSecret('BITBUCKET'),
  JIRA_CLIENT_ID: clientId('Atlassian', 'jira, confluence'),
  JIRA_CLIENT_SECRET: clientSecret('JIRA'),
  LINEAR_CLIENT_ID: clientId('Linear', 'linear'),
  LINEAR_CLIENT_SECRET: clientSecret('LINEAR'),
  DISCORD_CLIENT_ID: clientId('Discord', 'discord'),
  DISCORD_CLIENT_SECRET: clientSecret('DISCORD'),
  SLACK_CLIENT_ID: clientId('Slack', 'slack'),
  SLACK_CLIENT_SECRET: clientSecret('SLACK'),
} as const satisfies Record<string, Setting>

/** Vendors whose OAuth apps the environment may name: the settings are `<VENDOR>_CLIENT_ID` and `<VENDOR>_CLIENT_SECRET`. */
const APP_VENDORS = [
  'GITHUB',
  'GITLAB',
  'GOOGLE',
  'NOTION',
  'ZOOM',
  'MICROSOFT',
  'BITBUCKET',
  'JIRA',
  'LINEAR',
  'DISCORD',
  'SLACK',
] as const

export interface AppSettings {
  readonly clientId: string
  readonly secret: string
}

/** The OAuth apps that are set, by vendor in small letters. Throws ConfigFault where half of one is. */
export function appsOf(config: ValuesOf<typeof APP_SETTINGS>): ReadonlyMap<string, AppSettings> {
  const apps = new Map<string, AppSettings>()
  for (const vendor of APP_VENDORS) {
    const [named, proof] = [`${vendor}_CLIENT_ID`, `${vendor}_CLIENT_SECRET`] as const
    const [clientId, secret] = [config[named], config[proof]]
    if (clientId !== undefined && secret !== undefined) apps.set(vendor.toLowerCase(), { clientId, secret })
    else if (clientId !== secret) {
      const [there, missing] = clientId === undefined ? [proof, named] : [named, proof]
      throw new ConfigFault(
        `${there} is set without ${missing}. Set both, exactly as the vendor provided them, or neither (a placeholder counts as not set).`,
      )
    }
  }
  return apps
}
