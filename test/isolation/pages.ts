/** What is served to anybody, outside the admin interface and the MCP endpoints (http/server.ts); `{organization}` is filled in. */
export const PAGES: readonly string[] = [
  '/',
  '/health',
  '/health/live',
  '/health/ready',
  '/health/startup',
  '/metrics',
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/o/{organization}/t/default/mcp',
  '/.well-known/oauth-protected-resource/api/v1/{organization}/connectors/same/mcp',
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
  '/.well-known/jwks.json',
  '/oauth/authorize',
  '/sign-in',
]
