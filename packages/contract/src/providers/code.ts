/** Vendors that keep code: GitHub (Copilot too), GitLab, Bitbucket. */
import { hours, provider } from './provider.ts'

export const GITHUB = provider({
  key: 'github',
  title: 'GitHub',
  family: 'github',
  connectors: ['github', 'copilot'],
  registration: 'https://github.com/settings/developers',
  sources: [
    'https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps',
    'https://docs.github.com/en/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-oauth-app-access-token-request-errors',
    'https://docs.github.com/en/rest/apps/oauth-applications#delete-an-app-token',
    'https://github.blog/changelog/2025-07-14-pkce-support-for-oauth-and-github-app-authentication',
  ],
  issuer: 'https://github.com/login/oauth',
  authorizationEndpoint: 'https://github.com/login/oauth/authorize',
  tokenEndpoint: 'https://github.com/login/oauth/access_token',
  // One token, not the grant: that would end what other connections of the same person hold.
  revocation: {
    url: 'https://api.github.com/applications/{clientId}/token',
    method: 'DELETE',
    proof: 'basic',
    body: 'json',
    parameter: 'access_token',
    headers: { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
  },
  revokes: ['access_token'],
  hosts: ['api.github.com', 'uploads.github.com', 'github.com', 'api.githubcopilot.com'],
  // https://docs.github.com/en/enterprise-server@3.17/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps
  selfHosted: {
    title: 'GitHub Enterprise Server',
    api: ['/api/v3', '/api/graphql', '/api/uploads', '/login/oauth'],
    issuer: '/login/oauth',
    authorize: '/login/oauth/authorize',
    token: '/login/oauth/access_token',
    revoke: '/api/v3/applications/{clientId}/token',
  },
  scopes: ['repo', 'user:email', 'read:org', 'manage_billing:copilot'],
  failsWith: 'error-member',
  failures: {
    bad_verification_code: 'invalid_grant',
    bad_refresh_token: 'invalid_grant',
    redirect_uri_mismatch: 'invalid_grant',
    incorrect_client_credentials: 'invalid_client',
    application_suspended: 'unauthorized_client',
    unverified_user_email: 'access_denied',
  },
  // Of OAuth apps none run out; those of GitHub Apps (8 hours, refreshed for 6 months) say so in the answer.
  accessLives: undefined,
  refresh: 'rotates',
})

export const GITLAB = provider({
  key: 'gitlab',
  title: 'GitLab',
  family: 'gitlab',
  connectors: ['gitlab'],
  registration: 'https://gitlab.com/-/user_settings/applications',
  sources: ['https://docs.gitlab.com/api/oauth2/'],
  issuer: 'https://gitlab.com',
  authorizationEndpoint: 'https://gitlab.com/oauth/authorize',
  tokenEndpoint: 'https://gitlab.com/oauth/token',
  revocationEndpoint: 'https://gitlab.com/oauth/revoke',
  hosts: ['gitlab.com'],
  selfHosted: {
    title: 'a GitLab of your own',
    api: ['/api/v4', '/api/graphql', '/-'],
    issuer: '',
    authorize: '/oauth/authorize',
    token: '/oauth/token',
    revoke: '/oauth/revoke',
  },
  scopes: ['api', 'read_user', 'read_repository'],
  accessLives: hours(2),
  refresh: 'rotates',
})

export const BITBUCKET = provider({
  key: 'bitbucket',
  title: 'Bitbucket',
  family: 'bitbucket',
  connectors: ['bitbucket'],
  registration: 'https://bitbucket.org/account/workspaces/',
  sources: [
    'https://developer.atlassian.com/cloud/bitbucket/oauth-2/',
    'https://community.developer.atlassian.com/t/oauth-2-0-and-api-authentication-changes-for-bitbucket-cloud/99003',
  ],
  issuer: 'https://bitbucket.org',
  authorizationEndpoint: 'https://bitbucket.org/site/oauth2/authorize',
  tokenEndpoint: 'https://bitbucket.org/site/oauth2/access_token',
  hosts: ['api.bitbucket.org', 'bitbucket.org'],
  // The writing forms include the reading ones; to create pull requests, issues and pipelines the reading ones are too little.
  scopes: ['account', 'repository', 'pullrequest:write', 'issue:write', 'pipeline:write'],
  pkce: 'ignored',
  clientAuth: 'client_secret_basic',
  accessLives: hours(2),
  refresh: 'rotates',
})
