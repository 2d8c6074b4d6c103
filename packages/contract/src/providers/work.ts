/** Vendors of work that is planned and written down: Atlassian (Jira, Confluence), Linear, Notion. */
import { answer, hours, provider, type Provider } from './provider.ts'

/** Three-legged OAuth of Atlassian's cloud. Its tokens cannot be taken back one by one: there is no such endpoint. */
const atlassian = (fields: Pick<Provider, 'key' | 'title' | 'connectors' | 'scopes'>): Provider =>
  provider({
    family: 'jira',
    registration: 'https://developer.atlassian.com/console/myapps/',
    sources: [
      'https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps/',
      'https://developer.atlassian.com/cloud/oauth/getting-started/refresh-tokens/',
    ],
    issuer: 'https://auth.atlassian.com',
    authorizationEndpoint: 'https://auth.atlassian.com/authorize',
    tokenEndpoint: 'https://auth.atlassian.com/oauth/token',
    // Without them: no access to a site, and no second refresh token at a second consent.
    authorizationParameters: { audience: 'api.atlassian.com', prompt: 'consent' },
    pkce: 'ignored',
    tokenBody: 'json',
    failures: { unauthorized_client: 'invalid_grant' },
    accessLives: hours(1),
    refresh: 'rotates',
    hosts: ['api.atlassian.com', 'mcp.atlassian.com'],
    selfHosted: {
      title: `${fields.title} Data Center`,
      api: ['/rest', '/plugins'],
      issuer: '/rest/oauth2/latest',
      authorize: '/rest/oauth2/latest/authorize',
      token: '/rest/oauth2/latest/token',
      revoke: '/rest/oauth2/latest/revoke',
      // https://confluence.atlassian.com/adminjiraserver/jira-oauth-2-0-provider-api-1115659070.html
      differs: {
        scopes: ['WRITE'],
        authorizationParameters: {},
        pkce: 'checked',
        tokenBody: 'form',
        failures: {},
        accessLives: hours(2),
      },
    },
    ...fields,
  })

export const JIRA = atlassian({
  key: 'jira',
  title: 'Jira',
  connectors: ['jira'],
  scopes: [
    'read:jira-work',
    'write:jira-work',
    'read:jira-user',
    'read:board-scope:jira-software',
    'read:sprint:jira-software',
    'read:issue-details:jira',
    'read:jql:jira',
    // For the list of boards.
    'read:project:jira',
    'offline_access',
  ],
})

export const CONFLUENCE = atlassian({
  key: 'confluence',
  title: 'Confluence',
  connectors: ['confluence'],
  scopes: [
    'read:confluence-content.all',
    'write:confluence-content',
    'read:confluence-space.summary',
    'search:confluence',
    'read:space:confluence',
    'read:page:confluence',
    // For the children of a page.
    'read:hierarchical-content:confluence',
    'write:page:confluence',
    'delete:page:confluence',
    'read:comment:confluence',
    'write:comment:confluence',
    'read:label:confluence',
    'read:attachment:confluence',
    'offline_access',
  ],
})

export const LINEAR = provider({
  key: 'linear',
  title: 'Linear',
  family: 'linear',
  connectors: ['linear'],
  registration: 'https://linear.app/settings/api/applications/new',
  sources: ['https://linear.app/developers/oauth-2-0-authentication'],
  issuer: 'https://linear.app',
  authorizationEndpoint: 'https://linear.app/oauth/authorize',
  tokenEndpoint: 'https://api.linear.app/oauth/token',
  revocation: {
    url: 'https://api.linear.app/oauth/revoke',
    method: 'POST',
    proof: 'bearer',
    body: 'form',
    parameter: 'token',
    headers: {},
  },
  revokes: ['access_token'],
  hosts: ['api.linear.app', 'mcp.linear.app'],
  scopes: ['read', 'write', 'issues:create', 'comments:create'],
  scopeSeparator: ',',
  // Asked each time, so that a person can connect a second workspace.
  authorizationParameters: { prompt: 'consent' },
  accessLives: hours(24),
  refresh: 'rotates',
})

const NOTION_VERSION = '2022-06-28'

export const NOTION = provider({
  key: 'notion',
  title: 'Notion',
  family: 'notion',
  connectors: ['notion'],
  registration: 'https://www.notion.so/profile/integrations',
  sources: [
    'https://developers.notion.com/docs/authorization',
    'https://developers.notion.com/reference/create-a-token',
    'https://developers.notion.com/reference/refresh-a-token',
    'https://developers.notion.com/reference/revoke-token',
  ],
  issuer: 'https://api.notion.com',
  authorizationEndpoint: 'https://api.notion.com/v1/oauth/authorize',
  tokenEndpoint: 'https://api.notion.com/v1/oauth/token',
  revocation: {
    url: 'https://api.notion.com/v1/oauth/revoke',
    method: 'POST',
    proof: 'basic',
    body: 'json',
    parameter: 'token',
    headers: { 'notion-version': NOTION_VERSION },
  },
  revokes: ['access_token'],
  hosts: ['api.notion.com', 'mcp.notion.com'],
  // The permissions are set where the client is registered, and by the user who picks pages.
  scopes: [],
  authorizationParameters: { owner: 'user' },
  pkce: 'ignored',
  clientAuth: 'client_secret_basic',
  tokenBody: 'json',
  failureMember: 'code',
  failures: {
    unauthorized: 'invalid_client',
    restricted_resource: 'unauthorized_client',
    rate_limited: 'temporarily_unavailable',
    internal_server_error: 'server_error',
    service_unavailable: 'temporarily_unavailable',
  },
  account: { id: [answer('owner.user.id'), answer('bot_id')], name: [answer('workspace_name')] },
  accessLives: undefined,
  refresh: 'rotates',
})
