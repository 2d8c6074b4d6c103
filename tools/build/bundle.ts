/**
 * Bundles the sources into files that need no package. Each program of the gateway is bundled with everything it imports; code
 * shared by several of them becomes a file of its own. All files lie in one folder, so that `import.meta.url` leads there from
 * each of them. It is not minified, so that stack traces in reports are readable.
 *
 * It fails on an import that neither Node brings nor this build can include, and on a CommonJS module that is loaded with `import()`.
 */
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { placeFiles } from './place-files.ts'

/** Done without: modules that others ask for only where they are there. */
const DONE_WITHOUT = ['pg-native', 'bufferutil', 'utf-8-validate', 'canvas', 'cssstyle']

/** Native code, which no bundle can hold; the package names it as optional, and does without where it is absent. */
const NATIVE = ['@napi-rs/keyring']

/** Bundled CommonJS asks for Node's own modules by `require`, which an ES module does not have. */
const REQUIRE = `import { createRequire as requireFrom } from 'node:module'\nconst require = requireFrom(import.meta.url)`

export interface BundleParts {
  readonly root: string
  /** Where the programs lie. */
  readonly source: string
  /** The entry files of processes and threads, by their places in `source`. Other sources name them only by `new URL('…', import.meta.url)`. */
  readonly programs: readonly string[]
  /** The oldest Node that the bundle runs on, as esbuild writes it. */
  readonly target: string
  /** Files that each program begins with. */
  readonly before?: readonly string[]
  /** Where the bundle goes; it is made. */
  readonly folder: string
  /** Files of other packages that sources name, and what they are called in the folder, where somebody else puts them. */
  readonly elsewhere?: Readonly<Record<string, string>>
}

/** Paths of all files that are in the bundle, relative to `root`. */
export async function bundle({
  root,
  source,
  programs,
  target,
  folder,
  before = [],
  elsewhere = {},
}: BundleParts): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: programs.map((program) => join(source, program)),
    outdir: folder,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target,
    inject: [...before],
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
    outExtension: { '.js': '.mjs' },
    banner: { js: REQUIRE },
    external: [...DONE_WITHOUT, ...NATIVE],
    legalComments: 'none', // the notices beside the bundle hold every licence whole
    metafile: true,
    logLevel: 'warning',
    plugins: [placeFiles({ source, programs, folder, elsewhere })],
  })
  refuseMissing(metafile)
  refuseNameless(metafile)
  const used = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  )
  return [...new Set(used)].sort()
}

function refuseMissing({ outputs }: Metafile): void {
  const outside = Object.values(outputs).flatMap(({ imports }) => imports.filter(({ external }) => external === true))
  const missing = outside
    .map(({ path }) => path)
    .filter((path) => !isBuiltin(path) && ![...DONE_WITHOUT, ...NATIVE].includes(path))
  if (missing.length > 0) throw new Error(`The bundle would need ${[...new Set(missing)].join(', ')} at run time.`)
}

/** A CommonJS module that a source of ours loads with `import()` has no named exports in the bundle, which shows only when it is used. */
function refuseNameless({ inputs }: Metafile): void {
  const ours = Object.entries(inputs).filter(([file]) => !file.includes('node_modules/'))
  const found = ours.flatMap(([file, { imports }]) =>
    imports
      .filter(({ kind, path }) => kind === 'dynamic-import' && inputs[path]?.format === 'cjs')
      .map(({ path }) => `${file} loads ${path}`),
  )
  if (found.length > 0)
    throw new Error(`CommonJS must be imported by a source of ours that is loaded in its place: ${found.join('; ')}.`)
}
