/**
 * The pages served to everyone, outside the admin interface and the MCP endpoints (http/server.ts); `{organization}` is filled
 * in.
 */
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
  '/authorize',
  '/authorize?response_type=code&client_id=x&resource=http%3A%2F%2F127.0.0.1%2Fo%2F{organization}%2Ft%2Fdefault%2Fmcp',
  '/consent',
  '/sign-in',
  '/sign-in/first',
  '/sign-in/code',
  '/sign-in/oidc',
]
