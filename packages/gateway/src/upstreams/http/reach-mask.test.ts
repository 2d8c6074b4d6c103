import { describe, expect, test } from 'vitest'
import { bothMasks, createReachMask, createResultMask } from './reach-mask.ts'

test.each([
  ['as it was meant', 'no such key: s3cret/of+mine'],
  ['as it was sent', 'GET /mcp?key=s3cret%2Fof%2Bmine&x=1 is refused'],
])('a secret in the query of an address is not shown, %s', (_, said) => {
  const mask = createReachMask(new URL('https://example.com/mcp?key=s3cret%2Fof%2Bmine&x=1'), {})
  expect(mask(said)).toContain('[key]')
  expect(mask(said)).not.toContain('s3cret')
})

test('each of several of one name is kept', () => {
  const mask = createReachMask(new URL('https://example.com/?key=s3cret-first&key=s3cret-second'), {})
  expect(mask('s3cret-first, s3cret-second')).toBe('[key], [key]')
})

test('a credential is shown neither with its scheme nor without, however it is encoded', () => {
  const mask = createReachMask(new URL('https://example.com/'), { authorization: 'Bearer top+secret/word==' })
  for (const said of ['Bearer top+secret/word==', 'top+secret/word==', 'top%2Bsecret%2Fword%3D%3D'])
    expect(mask(`what is ${said}?`)).not.toContain('secret')
})

const ZAPIER = 'bXktcmFuZG9tLXNlY3JldC0x0123'
const BASIC = { authorization: `Basic ${Buffer.from('api-user:pass:word-of-basic').toString('base64')}` }
const WORDS = JSON.stringify([
  `/api/mcp/s/${ZAPIER}/mcp`,
  'pass:word-of-basic',
  'api-user:pass:word-of-basic',
  BASIC.authorization,
])

test.each([
  ['an error', createReachMask(new URL(`https://example.com/api/mcp/s/${ZAPIER}/mcp`), BASIC)],
  ['a result', createResultMask(BASIC, new URL(`https://example.com/api/mcp/s/${ZAPIER}/mcp`))],
  [
    'a result of an account',
    bothMasks(createResultMask(BASIC), createResultMask({}, new URL(`https://example.com/s/${ZAPIER}`))),
  ],
])('%s shows neither a random part of the path nor what Basic credentials decode to', (_, mask) => {
  const shown = mask?.(WORDS) ?? WORDS
  expect(shown).not.toMatch(/bXkt|word-of-basic|Basic [A-Za-z0-9]/)
  expect(shown).toContain('[path]')
  expect(JSON.parse(shown)).toHaveLength(4)
})

test('short passwords and parts of a path that are words stay in results', () => {
  const headers = { authorization: `Basic ${Buffer.from('a:postgres').toString('base64')}` }
  const text = 'postgres at /api/mcp/some-longer-name-of-a-server'
  const hide = createResultMask(headers, new URL('https://example.com/api/mcp/some-longer-name-of-a-server'))
  expect(hide?.(text) ?? text).toBe(text)
  expect(createReachMask(new URL('https://example.com/'), headers)('the password postgres')).not.toContain('postgres')
})

describe('in a result', () => {
  const url = new URL('https://example.com/mcp?api_key=s3cret-of-the-query&lang=english-united')
  const headers = {
    'x-api-key': 's3cret-of-a-"header"',
    authorization: 'Bearer s3cret-of-the-token',
    cookie: 'session=s3cret-of-a-cookie',
    'x-organization': 'acme-international',
    'x-short-key': 'postgres',
    'x-other': 'ghp_0123456789abcdef0123',
  }
  const hide = createResultMask(headers, url)

  test.each(
    Object.entries({ ...headers, api_key: 's3cret-of-the-query' }).filter(([name]) => !/organization|short/.test(name)),
  )('the secret of %s is taken out of the text of a message, which stays JSON', (_, value) => {
    const hidden = hide?.(JSON.stringify({ said: `it was ${value}!`, also: [value] })) ?? ''
    expect(hidden).not.toMatch(/s3cret|ghp_/)
    expect(JSON.parse(hidden)).toHaveProperty('also')
  })

  test('values that are words, or no secrets by their name, stay', () => {
    const text = JSON.stringify({ said: 'acme-international uses postgres in english-united' })
    expect(hide?.(text)).toBe(text)
  })

  test('nothing is looked for where a connection has no secret', () => {
    expect(createResultMask({ accept: 'application/json, text/event-stream' })).toBeUndefined()
  })
})
