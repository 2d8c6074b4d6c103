/**
 * `npm run town`: fills an installation with a company, to look at screens, lists and figures at its size. Five organizations, 5,000
 * members, 2,000 connections, 100,000 tools, 10,000 keys and a million records over 90 days; `--small` is a fiftieth of it. It writes
 * into the folder of `--data`, or into the database of DATABASE_URL. `npm run town -- --street` runs the servers that answer.
 */
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { openStore } from '../../packages/gateway/src/base/open-store.ts'
import { loadConfig } from '../../packages/gateway/src/config.ts'
import { fillTown, TownStands } from './fill.ts'
import { SMALL, WHOLE } from './size.ts'
import { openStreet } from './street.ts'

const PORT = 5470
const USAGE = `Usage: npm run town [-- OPTIONS]
  --data FOLDER      where the installation is or is to be (.town); DATABASE_URL names another database
  --small            a fiftieth of everything
  --records NUMBER   how many records (1000000; with --small 20000)
  --seed NUMBER      other people, tools and records (1)
  --password TEXT    of the administrators (made and printed)
  --port NUMBER      where the street listens (${PORT})
  --street           run the servers that answer, and nothing else`

function refuse(sentence: string): never {
  process.stderr.write(`${sentence}\n`)
  process.exit(2)
}

function readOptions(words: readonly string[]) {
  const text = { type: 'string' } as const
  const mark = { type: 'boolean' } as const
  try {
    const { values } = parseArgs({
      args: [...words],
      options: { data: text, small: mark, records: text, seed: text, password: text, port: text, street: mark },
    })
    return values
  } catch (thrown) {
    return refuse(`${thrown instanceof Error ? thrown.message : String(thrown)}\n${USAGE}`)
  }
}

function numberOf(word: string | undefined, instead: number, name: string): number {
  if (word === undefined) return instead
  return /^\d{1,9}$/.test(word) ? Number(word) : refuse(`--${name} takes a whole number.\n${USAGE}`)
}

async function fill({ data = '.town', small = false, ...options }: ReturnType<typeof readOptions>): Promise<void> {
  const began = Date.now()
  const directory = path.resolve(data)
  const size = small ? SMALL : WHOLE
  const records = numberOf(options.records, size.records, 'records')
  const password = options.password ?? randomBytes(9).toString('base64url')
  const say = (words: string) =>
    process.stdout.write(`${((Date.now() - began) / 1000).toFixed(1).padStart(6)} s  ${words}\n`)
  const { config } = loadConfig()
  const { DATABASE_URL: databaseUrl, DATABASE_DIRECT_URL: directUrl } = config
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const parts = { directory, databaseUrl, directUrl, keys: config, owner: true, log, onProgress: say }
  const store = await openStore(parts).catch((thrown: unknown) =>
    refuse(
      `The installation in ${directory} could not be opened: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    ),
  )
  try {
    await fillTown(store, {
      ...{ size: { ...size, records }, seed: numberOf(options.seed, 1, 'seed'), now: Date.now(), password },
      ...{ port: numberOf(options.port, PORT, 'port'), onProgress: say },
    })
  } catch (thrown) {
    if (!(thrown instanceof TownStands)) throw thrown
    refuse(`${thrown.message} A town needs an installation of its own: name another folder with --data.`)
  } finally {
    await store.close()
  }
  say('The town is there.')
  process.stdout.write(
    [
      `The servers that answer:  npm run town -- --street`,
      `The gateway:              TOOLWAY_DATA=${data} npm start`,
      `Sign in as admin@meridian.example (or harbour, juniper, atlas, newcomer) with the password ${password}`,
      '',
    ].join('\n'),
  )
}

const options = readOptions(process.argv.slice(2))
if (options.street === true) {
  const { port } = await openStreet(numberOf(options.port, PORT, 'port'))
  process.stdout.write(`The street listens on port ${port}, until it is interrupted.\n`)
} else await fill(options)
