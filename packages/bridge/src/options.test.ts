import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { HELP, readOptions, VERSION, type Variables } from './options.ts'

const NO_FILE = (path: string): string => {
  throw Object.assign(new Error(path), { code: 'ENOENT' })
}
const read = (words: string[], variables: Variables = {}, readFile = NO_FILE) => readOptions(words, variables, readFile)
const URL_WORDS = ['--url', 'http://127.0.0.1:8787']
function runOf(words: string[], variables: Variables = {}, readFile = NO_FILE) {
  const told = read(words, variables, readFile)
  if (!('run' in told)) throw new Error(JSON.stringify(told))
  return told.run
}
function refusalOf(words: string[], variables: Variables = {}, readFile = NO_FILE) {
  const told = read(words, variables, readFile)
  return 'refuse' in told ? told.refuse : undefined
}

describe('the address', () => {
  test.each([
    ['http://127.0.0.1:8787', [], '/mcp'],
    ['http://127.0.0.1:8787/', [], '/mcp'],
    ['https://tools.example.com/mcp', [], '/mcp'],
    ['https://tools.example.com/o/acme/t/reading/mcp', [], '/o/acme/t/reading/mcp'],
    ['https://tools.example.com', ['--toolset', 'reading'], '/o/default/t/reading/mcp'],
    ['https://tools.example.com/mcp', ['--toolset', 'reading', '--organization', 'acme'], '/o/acme/t/reading/mcp'],
    ['https://tools.example.com', ['--organization', 'acme'], '/o/acme/t/default/mcp'],
    ['https://tools.example.com', ['--connection', 'docs'], '/api/v1/default/connectors/docs/mcp'],
  ])('%s with %j leads to %s', (url, words, path) => {
    expect(runOf(['--url', url, ...words]).url.href).toBe(new URL(path, url).href)
  })

  test('may come from the environment, and what is said goes before it', () => {
    const variables = { TOOLWAY_URL: 'http://one.example' }
    expect(runOf([], variables).url.host).toBe('one.example')
    expect(runOf(['--url', 'http://two.example'], variables).url.host).toBe('two.example')
  })

  test.each([
    [[], /Specify the gateway/],
    [['--url', 'tools.example.com'], /must begin with https/],
    [['--url', 'ftp://tools.example.com'], /must begin with https/],
    [['--url', 'https://ada:pw@tools.example.com'], /must not contain a user name/],
    [[...URL_WORDS, '--toolset', 'a', '--connection', 'b'], /not both/],
    [[...URL_WORDS, '--toolset', '../x'], /not a valid name for --toolset/],
    [['--url', 'http://a.example/o/x/t/y/mcp', '--toolset', 'a'], /already points to an endpoint/],
  ])('of %j is refused in a sentence', (words, sentence) => {
    expect(refusalOf(words)).toMatch(sentence)
  })
})

describe('the key', () => {
  test('comes from TOOLWAY_KEY, from the variable that is named, or from a file', () => {
    expect(runOf(URL_WORDS, { TOOLWAY_KEY: 'one' })).toMatchObject({
      key: 'one',
      keySource: 'the variable TOOLWAY_KEY',
    })
    const named = runOf([...URL_WORDS, '--key-env', 'MINE'], { TOOLWAY_KEY: 'one', MINE: 'Bearer two' })
    expect(named).toMatchObject({ key: 'two', keySource: 'the variable MINE' })
    const file = { key: 'three', keySource: 'the file /run/key' }
    expect(runOf([...URL_WORDS, '--key-file', '/run/key'], {}, () => 'three\n')).toMatchObject(file)
    expect(runOf(URL_WORDS, { TOOLWAY_KEY_FILE: '/run/key' }, () => 'three\n')).toMatchObject(file)
    expect(runOf(URL_WORDS).key).toBeUndefined()
  })

  test.each([
    [[...URL_WORDS, '--key', 'secret-of-mine'], {}, /read by every user of this machine/],
    [[...URL_WORDS, '--key-env', 'MINE'], {}, /The variable MINE, which --key-env refers to, is not set/],
    [URL_WORDS, { TOOLWAY_KEY: '${env:TOOLWAY_KEY}' }, /placeholder that this client does not replace/],
    [URL_WORDS, { TOOLWAY_KEY: 'secret of\nmine' }, /is not a valid key/],
    [[...URL_WORDS, '--key-file', '/run/key'], {}, /cannot be read \(ENOENT\)/],
  ])('of %j and %j is refused, and never repeated', (words, variables, sentence) => {
    expect(refusalOf(words, variables)).toMatch(sentence)
    expect(refusalOf(words, variables)).not.toContain('secret')
  })
})

describe('other words', () => {
  test('that nobody knows are refused with where to look', () => {
    expect(refusalOf(['--nonsense'])).toBe("Unknown option '--nonsense'. `toolway-bridge --help` lists the options.")
    expect(refusalOf(['--url'])).toMatch(/argument missing.*--help/)
    expect(refusalOf(['http://a.example'])).toMatch(/--help/)
  })

  test('say what there is, and which version, the same as the package', () => {
    expect(read(['--help'])).toEqual({ print: HELP })
    expect(read(['--version', ...URL_WORDS])).toEqual({ print: `${VERSION}\n` })
    const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
      version: string
    }
    expect(manifest.version).toBe(VERSION)
    for (const line of HELP.split('\n')) expect(line.length).toBeLessThanOrEqual(120)
  })
})
