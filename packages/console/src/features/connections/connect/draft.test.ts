import { CONNECTOR_CATALOG } from '@toolway/contract'
import { describe, expect, test } from 'vitest'
import {
  defaultName,
  draft,
  draftOfEntry,
  withValues,
  missingIn,
  nameOf,
  placeOf,
  problemOfAddress,
  twinOf,
  valueOf,
  withoutSecrets,
  withProposed,
  wordsOf,
} from './draft.ts'
import { readConfiguration } from './guess/configuration.ts'

const entry = (id: string) => {
  const found = CONNECTOR_CATALOG.find((one) => one.id === id)
  if (found === undefined) throw new Error(`the catalog has no ${id}`)
  return draftOfEntry(found)
}

test('a draft is kept over a reload without anything that could be a secret', () => {
  const server = draft({ url: 'https://mcp.example.com/mcp', key: 'k', headers: [valueOf('X-Key', 'v')] })
  expect(withoutSecrets(server)).toMatchObject({ url: server.url, key: '', headers: [{ name: 'X-Key', value: '' }] })
  for (const secret of [
    draft({ kind: 'program', command: 'npx', args: ['--token', 't'] }),
    draft({ url: 'https://user:pass@mcp.example.com/' }),
    draft({ url: 'https://mcp.example.com/?key=v' }),
    draft({ kind: 'openapi', document: '{}' }),
  ])
    expect(withoutSecrets(secret)).toBeUndefined()
})

test('the name of a server is taken until somebody types another, and goes with its address', () => {
  const typed = draft({ url: 'https://a.example.com/mcp' })
  const named = { ...typed, ...withProposed(typed, 'Acme CRM') }
  expect([named.name, nameOf(named)]).toEqual(['Acme CRM', 'Acme CRM'])
  expect(nameOf({ ...named, ...withProposed(named, '') })).toBe('a.example.com')
  const own = { ...named, name: 'Ours' }
  expect(nameOf({ ...own, ...withProposed(own, 'Other') })).toBe('Ours')
  const cleared = { ...named, name: '' }
  expect([cleared.name, nameOf(cleared)]).toEqual(['', 'Acme CRM'])
})

describe('what is typed', () => {
  test.each([
    ['https://a.example.com/mcp', undefined],
    [' http://localhost:3000 ', undefined],
    ['', 'empty'],
    ['wss://a.example.com', 'scheme'],
    ['mailto:a@example.com', 'scheme'],
    ['a.example.com', 'unreadable'],
    ['https://u:p@a.example.com', 'user'],
  ])('the address %j is refused as %s', (url, why) => {
    expect(problemOfAddress(url)).toBe(why)
  })

  test.each([
    [draft({ url: 'https://mcp.example.com:8443/mcp' }), 'mcp.example.com:8443'],
    [draft({ kind: 'program', command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory'] }), 'memory'],
    [draft({ kind: 'program', command: 'npx', args: ['-y', '@playwright/mcp@latest'] }), 'mcp'],
    [draft({ kind: 'program', command: 'uvx', args: ['mcp-server-time'] }), 'time'],
    [draft({ kind: 'program', command: '/opt/thing', args: [] }), 'thing'],
  ])('is called after its host or package where nobody says', (one, name) => {
    expect(defaultName(one)).toBe(name)
    expect(nameOf({ ...one, name: ' Mine ' })).toBe('Mine')
  })

  test('of the catalog asks for what that has to be given', () => {
    const files = entry('filesystem')
    expect(missingIn(files).map(({ name }) => name)).toEqual(['folder'])
    const said = { ...files, blanks: files.blanks.map((one) => ({ ...one, value: '/srv/files' })) }
    expect(missingIn(said)).toEqual([])
    expect(placeOf(said)).toBe('npx -y @modelcontextprotocol/server-filesystem /srv/files')
    expect(entry('github')).toMatchObject({ kind: 'remote', auth: 'oauth', name: 'GitHub' })
  })
})

describe('what the gateway is told', () => {
  test('of a server is its address, its way in and its headers', () => {
    const headers = [{ name: 'X-Team', value: 'red', secret: true, required: true }]
    expect(wordsOf(draft({ url: ' https://a.example.com/mcp ', headers, auth: 'api_key', key: 'k' }))).toEqual({
      connector: 'mcp.http',
      title: 'a.example.com',
      url: 'https://a.example.com/mcp',
      headers: { 'X-Team': 'red' },
      auth: { kind: 'key' },
    })
    expect(wordsOf(draft({ url: 'https://a.example.com', auth: 'oauth', scopes: ['repo'] })).auth).toEqual({
      kind: 'oauth',
      scopes: ['repo'],
    })
  })

  test('of a program is its command line with what was said, and its variables', () => {
    const environment = [{ name: 'A', value: '1', secret: false, required: true }]
    const one = draft({ kind: 'program', command: 'npx', args: ['x', '{folder}'], environment })
    const blanks = [{ name: 'folder', value: '/tmp', secret: false, required: true }]
    expect(wordsOf({ ...one, blanks })).toMatchObject({ command: 'npx', args: ['x', '/tmp'], environment: { A: '1' } })
  })

  test('of a program of the catalog are the programs that it needs besides its command', () => {
    expect(wordsOf(entry('video_audio'))).toMatchObject({ command: 'uvx', programs: ['ffmpeg', 'ffprobe'] })
    expect(wordsOf(entry('edgartools'))).not.toHaveProperty('programs')
  })

  test('of a contract backend has its key as a header', () => {
    expect(entry('contract')).toMatchObject({ kind: 'contract', auth: 'api_key' })
    expect(wordsOf(draft({ kind: 'contract', url: 'https://b.example.com', auth: 'api_key', key: 'k' }))).toMatchObject(
      {
        connector: 'contract',
        headers: { authorization: 'Bearer k' },
      },
    )
  })
})

describe('a configuration with variables', () => {
  const [server] =
    readConfiguration(
      JSON.stringify({
        mcpServers: {
          crm: {
            url: 'https://${TENANT}.example.com/mcp',
            headers: { 'X-Key': 'token ${env:CRM_TOKEN}', 'X-Mode': '${MODE:-live}-eu' },
          },
        },
      }),
    )?.drafts ?? []

  test('asks for each by its name, with its default, and drops nothing', () => {
    expect(server?.blanks).toMatchObject([
      { name: 'TENANT', value: '', secret: false },
      { name: 'CRM_TOKEN', value: '', secret: true },
      { name: 'MODE', value: 'live' },
    ])
    expect(server === undefined ? [] : missingIn(server).map(({ name }) => name)).toEqual(['TENANT', 'CRM_TOKEN'])
  })

  test('is connected with what was said for them', () => {
    if (server === undefined) throw new Error('no server')
    const said: Record<string, string> = { TENANT: 'acme', CRM_TOKEN: 's3cret', MODE: 'live' }
    const whole = withValues({
      ...server,
      blanks: server.blanks.map((one) => ({ ...one, value: said[one.name] ?? '' })),
    })
    expect(wordsOf(whole)).toMatchObject({
      url: 'https://acme.example.com/mcp',
      headers: { 'X-Key': 'token s3cret', 'X-Mode': 'live-eu' },
    })
  })
})

test('a server that another of the same configuration reaches, too, is its twin', () => {
  const program = draft({ kind: 'program', command: 'npx', args: ['-y', '@acme/notes'] })
  const other = draft({ kind: 'remote', url: 'https://notes.example.com/mcp' })
  const drafts = [program, other, program]
  expect(drafts.map((_, at) => twinOf(drafts, at))).toEqual([undefined, undefined, program])
})
