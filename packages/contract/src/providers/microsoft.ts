/** Microsoft: one authorization server (Entra ID, version 2), and scopes of Graph for each connector. */
import { idTokenClaim, hours, provider, type Provider } from './provider.ts'

const WHO = ['openid', 'profile', 'email', 'offline_access']

/** There is no endpoint that takes one token back: `revokeSignInSessions` would sign the person out everywhere. */
const microsoft = (
  fields: Pick<Provider, 'key' | 'title' | 'scopes'> & { grantedByAdministrators?: readonly string[] },
): Provider =>
  provider({
    family: 'microsoft',
    connectors: fields.key === 'microsoft' ? [] : [fields.key],
    registration: 'https://entra.microsoft.com/#view/Microsoft_AAD_RegisteredApps/ApplicationsListBlade',
    sources: [
      'https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-auth-code-flow',
      'https://learn.microsoft.com/en-us/entra/identity-platform/reference-error-codes',
    ],
    issuer: 'https://login.microsoftonline.com/{tenant}/v2.0',
    authorizationEndpoint: 'https://login.microsoftonline.com/{tenant}/oauth2/v2.0/authorize',
    tokenEndpoint: 'https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token',
    tenant: 'common',
    hosts: ['graph.microsoft.com'],
    // So that a person who is signed in with one account can connect another.
    authorizationParameters: { prompt: 'select_account', response_mode: 'query' },
    failures: {
      interaction_required: 'invalid_grant',
      consent_required: 'invalid_grant',
      login_required: 'invalid_grant',
      invalid_resource: 'invalid_scope',
    },
    // `oid` is the same for all clients; personal accounts have no other than `sub`.
    account: {
      id: [idTokenClaim('oid'), idTokenClaim('sub')],
      name: [idTokenClaim('preferred_username'), idTokenClaim('email'), idTokenClaim('name')],
    },
    accessLives: hours(1),
    refresh: 'rotates',
    ...fields,
    scopes: [...WHO, ...fields.scopes],
  })

const TEAMS = ['User.Read', 'Team.ReadBasic.All', 'Channel.ReadBasic.All', 'ChannelMessage.Send', 'Chat.ReadWrite']
const TEAMS_GRANTED = ['ChannelMessage.Read.All', 'ChannelMember.Read.All', 'TeamMember.Read.All']
const MAIL = ['User.Read', 'Mail.ReadWrite', 'Mail.Send']
const FILES = ['User.Read', 'Files.ReadWrite.All']

/** One account for all of them, where an organization wants that. */
export const MICROSOFT = microsoft({
  key: 'microsoft',
  title: 'Microsoft 365',
  scopes: [...new Set([...TEAMS, ...MAIL, ...FILES])],
  grantedByAdministrators: TEAMS_GRANTED,
})
export const MICROSOFT_TEAMS = microsoft({
  key: 'teams',
  title: 'Microsoft Teams',
  scopes: TEAMS,
  grantedByAdministrators: TEAMS_GRANTED,
})
export const OUTLOOK = microsoft({ key: 'outlook', title: 'Outlook', scopes: MAIL })
export const EXCEL = microsoft({ key: 'excel', title: 'Excel', scopes: FILES })
export const POWERPOINT = microsoft({ key: 'powerpoint', title: 'PowerPoint', scopes: FILES })
