/**
 * Resolves files that a source names by `new URL('…', import.meta.url)`. Sources use addresses relative to themselves, as Node
 * understands them without a build. In the bundle, where all code lies in one folder, this esbuild plugin rewrites the address:
 * to the bundled program, or to a copy of the folder. No source depends on the bundle.
 *
 * It fails on an address of a file that is not in the bundle.
 */
import { cp, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { Plugin } from 'esbuild'

export interface PlaceParts {
  readonly source: string
  /** Relative to `source`. */
  readonly programs: readonly string[]
  /** Of the bundle. */
  readonly folder: string
  /** Files outside of `source` that the bundle has under a name of its own. */
  readonly elsewhere?: Readonly<Record<string, string>>
}

const ADDRESS = /new URL\('([^']+)', import\.meta\.url\)/g
/** Other ways to name a file beside a source, which this plugin would not see. */
const OTHER =
  /import\.meta\.(?:dirname|filename)|new URL\((?!'[^']+', import\.meta\.url\))[^;]{0,200}?,\s*import\.meta\.url/

export function placeFiles({ source, programs, folder, elsewhere = {} }: PlaceParts): Plugin {
  /** Sources that name the same folder share one copying of it. */
  const copied = new Map<string, Promise<void>>()

  function copyOnce(from: string): Promise<void> {
    const copying = copied.get(from) ?? cp(from, join(folder, basename(from)), { recursive: true })
    copied.set(from, copying)
    return copying
  }

  async function place(file: string): Promise<string> {
    if (programs.includes(relative(source, file))) return `./${basename(file, '.ts')}.mjs`
    if (elsewhere[file] !== undefined) return `./${elsewhere[file]}`
    const isFolder = (await stat(file).catch(() => undefined))?.isDirectory() === true
    if (!isFolder) throw new Error(`${file} is named by a source, and is no program or folder of the bundle.`)
    await copyOnce(resolve(file))
    return `./${basename(file)}/`
  }

  async function rewrite(path: string): Promise<string> {
    let text = await readFile(path, 'utf8')
    const [other] = OTHER.exec(text) ?? []
    if (other !== undefined) throw new Error(`Say "${other}" as new URL('…', import.meta.url), on one line.`)
    for (const [whole, named = ''] of text.matchAll(ADDRESS)) {
      const placed = await place(join(dirname(path), named))
      text = text.replace(whole, () => `new URL('${placed}', import.meta.url)`)
    }
    return text
  }

  return {
    name: 'place-files',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) =>
        path.startsWith(source) ? { contents: await rewrite(path), loader: 'ts' } : undefined,
      )
    },
  }
}
