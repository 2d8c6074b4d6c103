import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ConfigFault, findSettingReferences, loadConfig, placesOf } from '../config.ts'
import { awsKeysProblem } from './references.ts'

const FOLDER = join(tmpdir(), 'toolway-no-such-folder')
const find = (surroundings: Record<string, string>) => findSettingReferences({ surroundings, folder: FOLDER })
const load = (environment: Record<string, string>, read: Record<string, string> = {}) =>
  loadConfig(environment, FOLDER, {}, new Map(Object.entries(read))).config

test('a secret setting has its value in place of a reference, alone or within the text, and is checked as any other', () => {
  const environment = { REDIS_URL: 'redis://:secret://env/REDIS@127.0.0.1', MCP_ENCRYPTION_KEY: 'secret://file/key' }
  expect(find(environment).references).toMatchObject([
    { name: 'MCP_ENCRYPTION_KEY', words: 'secret://file/key' },
    { name: 'REDIS_URL', words: 'secret://env/REDIS' },
  ])
  const read = { 'secret://env/REDIS': 'p4ss', 'secret://file/key': 'CD'.repeat(32) }
  expect(load(environment, read)).toMatchObject({
    REDIS_URL: 'redis://:p4ss@127.0.0.1',
    MCP_ENCRYPTION_KEY: 'cd'.repeat(32),
  })
  expect(environment.REDIS_URL).not.toContain('p4ss')
  const short = () => load(environment, { ...read, 'secret://file/key': 'no-key' })
  expect(short).toThrow(/^MCP_ENCRYPTION_KEY is not valid .*64 hexadecimal digits/)
  expect(short).not.toThrow(/no-key/)
})

test('a reference that was not read, is misspelt, or stands where no secret is asked for is refused, and names the setting', () => {
  for (const [environment, words] of [
    [{ DATABASE_URL: 'secret://file/url' }, /^DATABASE_URL is a reference .*secret:\/\/file\/url was not read/],
    [{ DATABASE_URL: 'secret://files/url' }, /^DATABASE_URL is a reference .*has the form/],
    [{ TOOLWAY_HOST: 'secret://file/host' }, /^TOOLWAY_HOST is not a secret and does not accept a reference/],
    [{ VAULT_TOKEN: 'secret://vault/token' }, /^VAULT_TOKEN cannot be read from secret:\/\/vault/],
  ] as const) {
    expect(() => load(environment), JSON.stringify(environment)).toThrow(words)
    expect(() => load(environment)).toThrow(ConfigFault)
  }
})

test('what opens a place may be in another one, and the library of AWS is never handed a reference', () => {
  const texts = { VAULT_TOKEN: 'secret://env/TOKEN', TOOLWAY_SECRET_VAULT: 'https://bao:8200/secret/{organization}' }
  expect(placesOf(texts, new Map()).VAULT_TOKEN).toBeUndefined()
  expect(placesOf(texts, new Map([['secret://env/TOKEN', 'hvs.1']])).VAULT_TOKEN).toBe('hvs.1')
  expect(() => placesOf({ TOOLWAY_SECRET_VAULT: 'https://bao' }, new Map())).toThrow(/TOOLWAY_SECRET_VAULT/)
  const aws = { AWS_SECRET_ACCESS_KEY: 'secret://file/aws' }
  expect(awsKeysProblem(aws)).toBeUndefined()
  expect(awsKeysProblem({ ...aws, TOOLWAY_SECRET_AWS: 'toolway/{organization}/' })).toMatch(/^AWS_SECRET_ACCESS_KEY is/)
})
