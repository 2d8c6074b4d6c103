/**
 * Writes a new native connector: a folder with one tool and its rows, and its lines in the two tables. The tool runs and passes the
 * checks that need no description of the vendor; the others are written after it.
 *
 * npm run new:connector -- acme Acme https://api.acme.example
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface NewConnector {
  /** The prefix of the names of its tools. */
  readonly id: string
  readonly title: string
  /** The address of the vendor's API, with the path that all operations have. */
  readonly address: string
}

/** @param folder of the package `connectors`. Throws for an id that is taken or malformed, and for an address that is none. */
export function writeConnector(folder: string, { id, title, address }: NewConnector): readonly string[] {
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(id)) throw new Error('The name has at most 40 small letters, digits and _.')
  if (!/^https:\/\/[^\s'"]+$/.test(address)) throw new Error('The address starts with https://.')
  const own = join(folder, 'src', id)
  if (existsSync(own)) throw new Error(`There is a connector ${id} already.`)
  mkdirSync(own)
  const base = address.replace(/\/$/, '')
  const word = title.replaceAll("'", '’')
  const files = {
    [join(own, `${id}.ts`)]: toolsOf({ id, title: word, address: base }),
    [join(own, 'rows.ts')]: rowsOf(word),
  }
  const tables = {
    [join(folder, 'src/connectors.ts')]: (text: string) =>
      text.replace(/\n\}\n$/, `\n${rowOf({ id, title: word, address: base })}}\n`),
    [join(folder, 'src/rows.ts')]: (text: string) =>
      text
        .replace(
          'import type { VendorRows }',
          `import { rows as ${id} } from './${id}/rows.ts'\nimport type { VendorRows }`,
        )
        .replace(/\n\}\n$/, `\n  ${id},\n}\n`),
  }
  for (const [path, text] of Object.entries(files)) writeFileSync(path, text)
  for (const [path, change] of Object.entries(tables)) writeFileSync(path, change(readFileSync(path, 'utf8')))
  return [...Object.keys(files), ...Object.keys(tables)]
}

const rowOf = ({ id, title, address }: NewConnector) => `  ${id}: {
    load: async () => (await import('./${id}/${id}.ts')).${id},
    title: '${title}',
    about: 'What the tools of ${title} are for, in one sentence.',
    category: 'other',
    address: '${new URL(address).origin}',
    docs: '${address}/docs',
    key: { page: '${address}/keys', looks: '…' },
    keyOnly: true,
  },
`

const toolsOf = ({ id, title, address }: NewConnector) => `/** ${title} (${address}/docs). */
import { maybe, rest, shape, str, text, token, vendor } from '../kit/index.ts'

const { read } = rest({
  base: '${address}',
  paging: token('next', 'cursor', { name: 'limit', default: 20, max: 100 }),
})

const Account = shape({ id: str(), name: str() })
const Item = shape({ id: str(), name: str(), url: str('html_url') })

export const ${id} = vendor({
  id: '${id}',
  auth: { key: { in: 'header', name: 'authorization', prefix: 'Bearer ' } },
  scopes: {},
  whoami: 'get_account',
  tools: {
    get_account: read('GET /me', {
      says: 'Get the account whose key is used.',
      output: Account,
    }),
    list_items: read('GET /projects/{project_id}/items', {
      says: 'List the items of a project, newest first.',
      input: { project_id: text('e.g. p1'), state: maybe('e.g. open') },
      list: Item,
      at: 'items',
    }),
  },
})
`

const rowsOf = (title: string) => `/** The cases of ${title}: input, then the requests that it makes. */
import type { VendorRows } from '../kit/rows.ts'

export const rows: VendorRows = {
  described: [],
  failures: [],
  tools: {
    get_account: [[{}, 'GET /me']],
    list_items: [
      [{ project_id: 'p1' }, 'GET /projects/p1/items?limit=20'],
      [{ project_id: 'p1', state: 'open', limit: 5 }, 'GET /projects/p1/items?state=open&limit=5'],
    ],
  },
}
`

if (process.argv[1] === import.meta.filename) {
  const [id, title, address] = process.argv.slice(2)
  try {
    if (id === undefined || title === undefined || address === undefined)
      throw new Error('Say name, title and address: npm run new:connector -- acme Acme https://api.acme.example')
    const written = writeConnector(join(import.meta.dirname, '../packages/connectors'), { id, title, address })
    process.stdout.write(
      `Written:\n${written.map((path) => `  ${path}`).join('\n')}\nNext: packages/connectors/AUTHORING.md, and npm test -- test/connectors -t ${id}\n`,
    )
  } catch (thrown) {
    process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`)
    process.exitCode = 1
  }
}
