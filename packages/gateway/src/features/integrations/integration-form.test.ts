import { Process, type Connection } from '@toolway/contract/admin'
import { ConnectionAuth } from '@toolway/contract'
import { describe, expect, test } from 'vitest'
import { NO_ACCOUNTS } from '../connections/auth-type.ts'
import { connectionChangeOf, integrationOf, newConnectionOf, saidIn, serverTypeOf } from './integration-form.ts'
import { addressIn } from '../../lib/http-address.ts'
import { integrationStatusOf } from './status-words.ts'

const CONNECTION: Connection = {
  id: 'con_1',
  alias: 'linear',
  title: 'Linear',
  description: null,
  connector: 'mcp.http',
  enabled: true,
  origin: 'administration',
  status: 'connected',
  needs: null,
  people: null,
  status_reason: null,
  hints: [],
  url: 'https://mcp.linear.app/mcp',
  private: false,
  command: null,
  args: null,
  programs: null,
  ...{ network: null, allow_hosts: null, allow_paths: null },
  auth: ConnectionAuth.parse({}),
  auth_type: 'none',
  contract: null,
  left_out: [],
  repaired: [],
  oauth_repaired: [],
  openapi: null,
  native: null,
  n8n: null,
  composio: null,
  header_names: [],
  environment_names: [],
  revision: 'auto',
  spoken_revision: null,
  checks: 'none',
  timeout: 60,
  tools: 3,
  tools_enabled: true,
  fetched_at: '2026-11-20T10:00:00.000Z',
  stale_reason: null,
  created_at: '2026-11-20T09:00:00.000Z',
  updated_at: '2026-11-20T09:30:00.000Z',
}

describe('a connection as an integration', () => {
  test('has the fields of the source system and no others', () => {
    expect(integrationOf(CONNECTION, NO_ACCOUNTS)).toEqual({
      id: 'con_1',
      name: 'Linear',
      server_type: 'linear.app',
      server_url: 'https://mcp.linear.app/mcp',
      auth_type: 'none',
      is_enabled: true,
      connection_status: 'connected',
      last_connected_at: '2026-11-20T10:00:00.000Z',
      last_error: null,
      metadata: { alias: 'linear', connector: 'mcp.http', revision: 'auto', timeout: 60, private: false },
      tool_count: 3,
      created_at: '2026-11-20T09:00:00.000Z',
      updated_at: '2026-11-20T09:30:00.000Z',
    })
  })

  test.each([
    ['https://mcp.linear.app/mcp', 'linear.app'],
    ['https://github.com/mcp', 'github.com'],
    ['https://api.example.com:8443/x', 'example.com'],
    ['http://127.0.0.1:3000/mcp', 'custom'],
    ['http://[::1]:3000/mcp', 'custom'],
    ['http://localhost/mcp', 'custom'],
    ['https://mcp.internal/mcp', 'mcp.internal'],
    [null, 'custom'],
  ])('of the address %s is of the type %s', (url, type) => {
    expect(serverTypeOf(url)).toBe(type)
  })

  test('U-29: every state is one of the source system’s words, at the place where they are mapped', () => {
    const states = ['new', 'connected', 'needs_auth', 'disconnected', 'error', 'disabled']
    const mapped = (more: { enabled?: boolean; lost?: boolean }) =>
      states.map((status) => integrationStatusOf({ status, enabled: true, lost: false, ...more }))
    expect(mapped({})).toEqual(['disconnected', 'connected', 'disconnected', 'disconnected', 'error', 'disconnected'])
    // An account that was there and serves no more needs a person.
    expect(mapped({ lost: true })[2]).toBe('error')
    expect(new Set(mapped({ enabled: false }))).toEqual(new Set(['disconnected']))
    expect(integrationStatusOf({ status: 'something new', enabled: true, lost: false })).toBe('error')
    expect(Process.shape.status.options).toEqual(['starting', 'running', 'stopped', 'error', 'restarting'])
  })
})

describe('what is said of an integration', () => {
  test('is understood in both spellings, and refused where they differ', () => {
    const said = { name: undefined, url: 'https://x.example/', enabled: false, authType: 'api_key', apiKey: 'k' }
    expect(saidIn({ server_url: 'https://x.example/', is_enabled: false, api_key: 'k' })).toEqual(said)
    expect(saidIn({ serverUrl: 'https://x.example/', enabled: false, apiKey: 'k' })).toEqual(said)
    expect(() => saidIn({ url: 'https://x.example/', server_url: 'https://y.example/' })).toThrow(/server_url/)
    expect(() => saidIn({ api_key: 'k', auth_type: 'oauth' })).toThrow(/api_key/)
  })

  test.each([
    'not an address',
    '/mcp',
    'ftp://x.example/',
    'ws://x.example/',
    'javascript:alert(1)',
    'https://me:secret@x.example/',
  ])('is refused where its address is %s', (url) => {
    expect(() => addressIn(url)).toThrow(expect.objectContaining({ code: 'url.malformed' }) as Error)
  })

  test('takes the address of the catalog where none is said, and the host as a name', () => {
    expect(newConnectionOf({ server_type: 'notion' }).words).toMatchObject({
      url: 'https://mcp.notion.com/mcp',
      title: 'Notion',
    })
    expect(newConnectionOf({ url: 'https://mcp.example.com:8443/x' }).words).toMatchObject({
      title: 'mcp.example.com:8443',
    })
    expect(() => newConnectionOf({ server_type: 'custom' })).toThrow(/missing/)
  })

  test('takes every header along where the address is another', () => {
    const held = { url: 'https://x.example/', header_names: ['Authorization', 'X-Team'] }
    expect(connectionChangeOf({ url: 'https://y.example/' }, held)).toMatchObject({
      moved: true,
      words: { url: 'https://y.example/', headers: { Authorization: null, 'X-Team': null } },
    })
    expect(connectionChangeOf({ url: 'https://x.example/', name: 'X' }, held)).toEqual({
      moved: false,
      apiKey: undefined,
      words: { title: 'X', url: 'https://x.example/' },
    })
  })
})
