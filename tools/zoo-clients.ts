/**
 * Programs of the official Go and Rust SDKs that list and call whatever an endpoint has (`test/wild/other-clients`), built into
 * `node_modules/.cache` and pinned by the lock files beside them: Go by whoever asks for it, in seconds, Rust only by
 * `npm run counterparts -- zoo-clients`, in two to five minutes. Where one is not to be had, the answer says why.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

type Language = 'go' | 'rust'
type Brought = { readonly command: string } | { readonly lacking: string }

const sources = join(import.meta.dirname, '../test/wild/other-clients')
const cache = join(import.meta.dirname, '../node_modules/.cache/counterparts')
/** Milliseconds: Go's is waited for by tests. */
const LONGEST = { go: 120_000, rust: 900_000 }

interface Built {
  /** The program follows from their content. */
  readonly files: readonly string[]
  readonly build: (folder: string) => readonly string[]
  /** Of the program within the folder. */
  readonly path: string
}
const BUILT: Readonly<Record<Language, Built>> = {
  go: {
    files: ['main.go', 'go.mod', 'go.sum'],
    build: (folder) => ['go', 'build', '-trimpath', '-o', join(folder, 'client'), '.'],
    path: 'client',
  },
  rust: {
    files: ['src/main.rs', 'Cargo.toml', 'Cargo.lock'],
    build: (folder) => ['cargo', 'build', '--quiet', '--locked', '--target-dir', folder],
    path: 'debug/zoo-client',
  },
}

function folderOf(language: Language): string {
  const hash = createHash('sha256')
  for (const file of BUILT[language].files) hash.update(readFileSync(join(sources, language, file)))
  return join(cache, `zoo-${language}-${hash.digest('hex').slice(0, 12)}`)
}

export function findRustClient(): Brought {
  const command = join(folderOf('rust'), BUILT.rust.path)
  return existsSync(command) ? { command } : { lacking: 'build it with `npm run counterparts -- zoo-clients`' }
}

export const bringGoClient = (): Brought => bring('go')

/** The sentences of what is lacking. */
export const buildZooClients = (): string[] =>
  (['go', 'rust'] as const).flatMap((language) => {
    const found = bring(language)
    return 'lacking' in found ? [`The client of the ${language} SDK is not there: ${found.lacking}.`] : []
  })

function bring(language: Language): Brought {
  const { build, path } = BUILT[language]
  const folder = folderOf(language)
  const program = { command: join(folder, path) }
  if (existsSync(program.command)) return program
  mkdirSync(folder, { recursive: true })
  const [command = '', ...words] = build(folder)
  const { status, error, stderr } = spawnSync(command, words, {
    cwd: join(sources, language),
    env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '' },
    encoding: 'utf8',
    timeout: LONGEST[language],
  })
  if (error !== undefined) return { lacking: `${command} could not be run: ${error.message}` }
  return status === 0 ? program : { lacking: `it could not be built: ${stderr.trim().split('\n').at(-1) ?? ''}` }
}
