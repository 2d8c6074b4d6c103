/** Generated pages say what the code says. `npm test -- test/contract -u` writes them anew. */
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FAULTS } from '@toolway/contract'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfigFile } from '../../packages/gateway/src/config-file.ts'
import { SETTINGS } from '../../packages/gateway/src/config.ts'
import { PRESET_NAMES, presetVariables } from '../../packages/gateway/src/presets.ts'

const cell = (text: string) => text.replaceAll('|', '\\|')
const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

function faultsPage(): string {
  const rows = Object.entries(FAULTS).map(
    ([code, { word, phase, http, rpc, retry, say, mend }]) =>
      `| \`${code}\` | ${word} | ${phase} | ${http} | ${rpc} | ${retry ? 'yes' : 'no'} | ${cell(say)} | ${cell(mend)} |`,
  )
  return [
    '# Faults',
    '',
    'Every way in which Toolway refuses or cannot. Blanks in braces are filled with the facts of the case. An error carries `code` (the word), `fault`, `phase`, `mend`, `retryable` and `correlation_id` in its `data`; towards clients of revision 2026-07-28 the numbers -32001 to -32003 are sent as -31001 to -31003.',
    '',
    '| fault | code | phase | HTTP | JSON-RPC | retry | what it says | what mends it |',
    '|---|---|---|--:|--:|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

function settingsPage(): string {
  const rows = Object.entries(SETTINGS).map(([name, setting]) => {
    const { shape, about, secret } = setting
    const also = 'also' in setting ? setting.also.map((one) => `\`${one}\``).join(', ') : ''
    const unset = shape.safeParse(undefined)
    const shown =
      name === 'TOOLWAY_DATA'
        ? '`.toolway` in a checkout, else in your home'
        : unset.data === undefined
          ? ''
          : name.startsWith('TOOLWAY_LIMIT_') && unset.data === 0
            ? '`off`'
            : `\`${String(unset.data)}\``
    return `| \`${name}\` | ${shown === '``' ? '' : shown} | ${also} | ${cell(about)}${secret ? ' Masked wherever it is shown.' : ''} |`
  })
  return [
    '# Settings',
    '',
    'From the environment; each also as `NAME_FILE`, a path whose content is the value. A name that starts with `TOOLWAY_` and is not here is refused. `toolway config` shows what is in force.',
    '',
    '| setting | default | also read as | what it is |',
    '|---|---|---|---|',
    ...rows,
    '',
    'A setting that is given under two names ends the start, which names both. `SAGEMCP_ENABLE_…` take true, false, 1 and 0 besides on and off.',
    '',
    'For the command line alone: `TOOLWAY_URL` is the address of another gateway (its base address; one that ends in `/mcp` is an endpoint of it), and `TOOLWAY_KEY` the key for it. Every command goes there or refuses.',
    '',
  ].join('\n')
}

interface FloorsConfig {
  readonly FLOORS: readonly { name: string; about: string; folders: readonly string[] }[]
  readonly PACKAGES: Readonly<Record<string, { about: string; packages: readonly string[]; npm?: readonly string[] }>>
}

/** ARCHITECTURE.md with its tables of packages and floors as floors.config.mjs lists them. */
async function architecturePage(): Promise<string> {
  const { FLOORS, PACKAGES } = (await import(new URL('floors.config.mjs', root).href)) as FloorsConfig
  const names = (list: readonly string[]) => list.map((name) => `\`${name}\``).join(' ')
  const packages = Object.entries(PACKAGES)
    .filter(([name]) => existsSync(new URL(`packages/${name}`, root)))
    .map(([name, may]) => `| \`${name}\` | ${may.about} | ${names([...may.packages, ...(may.npm ?? [])])} |`)
  const floors = FLOORS.map(({ name, about, folders }) => `| ${name} | ${names(folders)} | ${about} |`)
  const block = (text: string, name: string, head: string, rows: readonly string[]) =>
    text.replace(new RegExp(`(<!-- ${name}: .*-->\\n)[^]*?(?=<!-- /${name} -->)`), (_, begin: string) =>
      [`${begin}\n${head}`, '|---|---|---|', ...rows, '\n'].join('\n'),
    )
  const page = block(read('ARCHITECTURE.md'), 'packages', '| package | what it is | may import |', packages)
  return block(page, 'floors', '| floor | folders | contents |', floors)
}

describe('the generated references', () => {
  test('list packages and floors in ARCHITECTURE.md', async () => {
    await expect(architecturePage()).resolves.toMatchFileSnapshot('../../ARCHITECTURE.md')
  })
  test('name every fault', async () => {
    await expect(faultsPage()).toMatchFileSnapshot('../../docs/reference/faults.md')
  })
  test('name every setting', async () => {
    await expect(settingsPage()).toMatchFileSnapshot('../../docs/reference/config.md')
  })
  test('and .env.example names every setting and the variables of the presets, and no other', () => {
    const named = [...read('.env.example').matchAll(/^#?\s?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name)
    const all = PRESET_NAMES.flatMap(presetVariables)
    const variables = all.map(({ name }) => name).filter((name) => !Object.hasOwn(SETTINGS, name))
    expect(named).toEqual([...Object.keys(SETTINGS), ...new Set(variables)])
  })
})

describe('the guide to the declaration file', () => {
  const [, snippet = ''] = /```yaml\n([\s\S]*?)```/.exec(read('docs/guides/configuration.md')) ?? []

  test('shows a file that Toolway reads', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'toolway-guide-')), 'toolway.yaml')
    writeFileSync(path, snippet)
    const values: Record<string, string> = {
      DOCS_AUTHORIZATION: 'Bearer x',
      READER_KEY: `uru_${'0'.repeat(64)}`,
      LOGIN_SECRET: 'x',
    }
    const declared = readConfigFile(path, (name) => values[name])
    expect(declared.map(({ slug }) => slug)).toEqual(['default', 'acme'])
    expect(declared[0]?.connections.map(({ alias }) => alias)).toEqual(
      Object.keys((parse(snippet) as { connections: object }).connections),
    )
  })
})

describe('the guide to native connectors', () => {
  test('shows a file that Toolway reads', () => {
    const [, snippet = ''] = /```yaml\n([\s\S]*?)```/.exec(read('docs/guides/connectors.md')) ?? []
    const path = join(mkdtempSync(join(tmpdir(), 'toolway-guide-')), 'toolway.yaml')
    writeFileSync(path, snippet)
    const [declared] = readConfigFile(path, () => undefined)
    expect(declared?.connections.map(({ alias, wire }) => [alias, wire.kind])).toEqual([
      ['github', 'native'],
      ['cursor', 'native'],
    ])
  })
})

describe('the README', () => {
  test('names only commands that package.json has', () => {
    const scripts = Object.keys((JSON.parse(read('package.json')) as { scripts: object }).scripts)
    const named = [...read('README.md').matchAll(/^npm (?:run )?(\w+)/gm)].map(([, name]) => name)
    expect(named.length).toBeGreaterThan(4)
    for (const name of named) expect(scripts).toContain(name)
  })
})
