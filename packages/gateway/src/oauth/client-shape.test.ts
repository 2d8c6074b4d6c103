import { describe, expect, test } from 'vitest'
import { nameOf, shapeClient } from './client-shape.ts'

const shape = (said: object) => shapeClient({ redirect_uris: ['https://a.example/cb'], ...said })

describe('what a client says of itself', () => {
  test('is kept as far as it counts here; the rest is left out, and is no reason to refuse it', () => {
    const { name, metadata } = shape({
      client_name: 'Cursor',
      redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback'],
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      token_endpoint_auth_method: 'none',
      scope: 'mcp:everything openid',
      logo_uri: 'http://169.254.169.254/logo.png',
      response_modes: ['form_post'],
      jwks_uri: 'http://10.0.0.1/',
      software_id: 'x',
    })
    expect(name).toBe('Cursor')
    expect(metadata).toEqual({
      redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback'],
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    })
  })

  test.each([
    ['https://client.example/cb', undefined, 'web'],
    ['https://client.example/cb', 'native', 'native'],
    ['http://127.0.0.1:33418/', undefined, 'native'],
    ['http://localhost:3000/cb', 'web', 'native'],
    ['vscode://vscode.example/cb', undefined, 'native'],
  ])('redirected to %s, saying it is %s, it counts as %s', (redirect, said, type) => {
    const given = said === undefined ? {} : { application_type: said }
    expect(shape({ redirect_uris: [redirect], ...given }).metadata.application_type).toBe(type)
  })

  test('that does not fit is refused in the words of RFC 7591', () => {
    const errorOf = (said: unknown) => {
      try {
        shapeClient(said)
        return 'taken'
      } catch (thrown) {
        return (thrown as { error: string }).error
      }
    }
    expect(errorOf('x')).toBe('invalid_client_metadata')
    expect(errorOf({})).toBe('invalid_redirect_uri')
    expect(errorOf({ redirect_uris: [] })).toBe('invalid_redirect_uri')
    expect(errorOf({ redirect_uris: ['http://client.example/cb'] })).toBe('invalid_redirect_uri')
    expect(errorOf({ redirect_uris: ['JavaScript:alert(1)'] })).toBe('invalid_redirect_uri')
    expect(errorOf({ redirect_uris: ['https://a.example/'], response_types: ['token'] })).toBe(
      'invalid_client_metadata',
    )
    expect(errorOf({ redirect_uris: ['https://a.example/'], grant_types: ['implicit'] })).toBe(
      'invalid_client_metadata',
    )
    expect(errorOf({ redirect_uris: ['https://a.example/'], token_endpoint_auth_method: 'private_key_jwt' })).toBe(
      'invalid_client_metadata',
    )
  })
})

describe('the redirect addresses of a client that registers itself', () => {
  const redirectsOf = (...redirect_uris: string[]) => shapeClient({ redirect_uris }).metadata.redirect_uris

  test.each([
    'https://claude.ai/api/mcp/auth_callback',
    'http://localhost:6274/oauth/callback',
    'http://[::1]:3000/cb',
    'com.raycast:/oauth?package_name=x',
    'com.example.app:/callback',
    'io.github.user-name.app:/callback',
    'xn--p1ai.xn--e1afmkfd:/callback',
    'vscode://vscode.github-authentication/did-authenticate',
    'vscode-insiders://saoudrizwan.claude-dev/mcp-auth/callback/1',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'windsurf://oauth/callback',
    'warp://mcp/oauth2callback',
    'mcpjam://oauth/callback',
  ])('%s is taken', (redirect) => {
    expect(redirectsOf(redirect)).toEqual([redirect])
  })

  test.each([
    'ms-word:ofe|u|https://evil.test/x.docx',
    'smb://evil.test/share',
    'chrome://settings',
    'tel:+123',
    'ssh://evil.test/',
    'steam://run/1',
    'android-app://com.example/x',
    'mailto:a@example.com',
    'ftp://example.com/',
    'ws://example.com/',
    'com..example:/cb',
    'search-ms.x:/cb',
    'ms-word.x:/cb',
    'x.example:/cb',
    'com.-example:/cb',
    'https://*.evil.test/cb',
    'https://%2a.evil.test/cb',
    'com.example.app://*.evil.test/cb',
    '.example:/cb',
  ])('%s is refused', (redirect) => {
    expect(() => redirectsOf(redirect)).toThrow(/redirect_uris: /)
  })

  test('are those that it may have, where it names others too; a script among them refuses all', () => {
    const good = 'http://127.0.0.1:33418/'
    expect(redirectsOf('someapp://callback', good)).toEqual([good])
    expect(() => redirectsOf('javascript:alert(1)', good)).toThrow(/not allowed/)
  })

  test('may have any scheme that starts no program by itself where an administrator adds the client', () => {
    const shaped = shapeClient({ redirect_uris: ['someapp://callback'] }, { vouched: true })
    expect(shaped.metadata.redirect_uris).toEqual(['someapp://callback'])
    expect(() => shapeClient({ redirect_uris: ['javascript:x'] }, { vouched: true })).toThrow(/not allowed/)
  })
})

test('a name cannot be made to look like another by letters that nobody sees', () => {
  expect(nameOf('Cla\u200bude\u202e')).toBe('Cla ude')
  expect(nameOf('  a \n b ')).toBe('a b')
  expect(nameOf('\u0000\u2028')).toBeUndefined()
  expect(nameOf('x'.repeat(200))).toHaveLength(80)
})
