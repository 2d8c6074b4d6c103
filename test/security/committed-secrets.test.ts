/** The repository holds no secret: `.env` stays out of it, `.env.example` is in it, and no tracked file has a key of a known form. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { PRESET_NAMES, presetVariables } from '../../packages/gateway/src/presets.ts'

const ROOT = join(import.meta.dirname, '../..')
const git = async (...args: string[]) => {
  const { stdout } = await promisify(execFile)('git', args, { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 })
  return stdout
}

/** Forms of keys, by the prefixes that their issuers give them so that they are found. */
const FORMS: Readonly<Record<string, RegExp>> = {
  'OpenAI or Anthropic': /\bsk-[A-Za-z0-9_-]{20,}/g,
  Composio: /\bak_[A-Za-z0-9]{16,}/g,
  GitHub: /\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{30,})/g,
  GitLab: /\bglpat-[\w-]{18,}/g,
  Slack: /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  AWS: /\bAKIA[0-9A-Z]{16}\b/g,
  Google: /\bAIza[\w-]{35}/g,
  Notion: /\bntn_[A-Za-z0-9]{30,}/g,
  Linear: /\blin_api_[A-Za-z0-9]{30,}/g,
  npm: /\bnpm_[A-Za-z0-9]{36}/g,
  Logfire: /\bpylf_v\d+_[a-z]+_[A-Za-z0-9]{20,}/g,
  'a private key': /-----BEGIN [A-Z ]*PRIVATE KEY-----/g,
}
/** Values of tests that are no keys: beginnings, too short for the forms. */
const MADE_UP = [
  'ghp_a1b2c3d4',
  'ghp_01234567',
  'ghp_hunter2',
  'gho_16C7e42F',
  'gho_01234567',
  'sk-proj-abcdef',
  'sk-the-key',
]
/** A key pair of a test's own certificate. */
const TEST_KEYS = new Set(['packages/gateway/src/upstreams/network.test.ts'])
const BINARY = /\.(?:png|jpe?g|gif|ico|woff2?|pdf|gz|zip|docx|tgz)$/

test('S4-ENV-02: .env is not in version control, .env.example is, and no tracked file has a key', async () => {
  const files = (await git('ls-files', '-z')).split('\0').filter((name) => name !== '')
  expect(files).toContain('.env.example')
  expect(files.filter((name) => /(?:^|\/)\.env(?!\.example$)/.test(name))).toEqual([])
  // Wherever the gateway is started, a file of that name is left out.
  for (const place of ['.env', 'packages/gateway/.env', 'deploy/.env'])
    expect((await git('check-ignore', '--no-index', place)).trim()).toBe(place)

  const example = await readFile(join(ROOT, '.env.example'), 'utf8')
  for (const { name } of PRESET_NAMES.flatMap(presetVariables))
    expect(example, name).toMatch(new RegExp(`^# ${name}=`, 'm'))

  const found: string[] = []
  for (const name of files.filter((one) => !BINARY.test(one))) {
    const text = await readFile(join(ROOT, name), 'utf8').catch(() => '')
    for (const [issuer, form] of Object.entries(FORMS))
      for (const [key] of text.matchAll(form))
        if (!MADE_UP.some((start) => key.startsWith(start)) && !(TEST_KEYS.has(name) && key.startsWith('-----')))
          found.push(`${name}: a key of ${issuer}`)
  }
  expect(found).toEqual([])
  // The forms find what they are for.
  for (const key of [['sk', 'x'.repeat(24)].join('-'), ['ak', 'x1'.repeat(10)].join('_')])
    expect(Object.values(FORMS).some((form) => key.search(form) === 0)).toBe(true)
})
