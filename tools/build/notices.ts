/**
 * Lists the packages in the bundle and their licences: one text with every package and its whole licence, because a bundle
 * contains a package's code without its licence files. It fails on a licence that is not in the accepted list.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** They ask for their text to be passed on, and nothing more. */
const ACCEPTED = new Set(['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'BlueOak-1.0.0', '0BSD'])

const PACKAGE = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/
/** Code that was taken over into a source: whose, and where the text of its licence lies. */
const TAKEN_OVER = [
  {
    what: 'Icons of Tabler Icons 3.51.0 (MIT)',
    source: 'packages/console/src/ui/icon-paths.ts',
    words: 'packages/console/licences/tabler-icons.txt',
  },
  {
    what: 'Logos of LobeHub Icons 1.95.1 (MIT), of Tabler Icons 3.51.0 (MIT, above) and of Simple Icons 16.37.0 (CC0 1.0)',
    source: 'packages/console/src/ui/logo.tsx',
    words: 'packages/console/licences/lobehub-icons.txt',
  },
]
/** Packages that bring no text of their licence: where the one of their repository lies. */
const WORDS_ELSEWHERE: Readonly<Record<string, string>> = {
  '@docsearch/css': 'docs/.vitepress/licences/docsearch.txt',
}
const RULE = '-'.repeat(100)

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string
}

/** @param files paths relative to `root`, of packages and others */
export async function readNotices(root: string, files: readonly string[]): Promise<string> {
  const folders = new Set(files.flatMap((file) => PACKAGE.exec(file)?.[0] ?? []))
  const notices = await Promise.all([...folders].sort().map((folder) => readNotice(root, join(root, folder))))
  for (const { what, source, words } of TAKEN_OVER)
    if (files.includes(source)) notices.push(`${what}\n\n${(await readFile(join(root, words), 'utf8')).trim()}\n`)
  const heading = `Toolway includes code of the ${notices.length} packages below, each under its own licence.\n`
  return [heading, ...notices].join(`\n${RULE}\n\n`)
}

/** SPDX: with AND, every licence applies; with OR, the one that is chosen. */
const isAccepted = (license: string): boolean => {
  const bare = license.replace(/^\((.*)\)$/, '$1')
  const every = bare.split(' AND ').every((name) => ACCEPTED.has(name))
  return every || (!bare.includes(' AND ') && bare.split(' OR ').some((name) => ACCEPTED.has(name)))
}

async function readNotice(root: string, folder: string): Promise<string> {
  const text = await readFile(join(folder, 'package.json'), 'utf8')
  const { name, version, license = 'none' } = JSON.parse(text) as Manifest
  if (!isAccepted(license))
    throw new Error(`${name} ${version} has the licence "${license}": see what it asks of who passes the code on.`)
  // The text of the Apache licence is the same for all works, and names nobody.
  const elsewhere = WORDS_ELSEWHERE[name] ?? (license === 'Apache-2.0' ? 'LICENSE' : undefined)
  const words =
    (await findWords(folder)) ?? (elsewhere === undefined ? undefined : await readFile(join(root, elsewhere), 'utf8'))
  if (words === undefined) throw new Error(`${name} ${version} has no text of its licence (${license}).`)
  return `${name} ${version} (${license})\n\n${words.trim()}\n`
}

/** The files of their own that licences and notices are in, else the part of the readme under that heading. */
async function findWords(folder: string): Promise<string | undefined> {
  const files = (await readdir(folder)).sort()
  const own = files.filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
  if (own.length > 0) return (await Promise.all(own.map((file) => readFile(join(folder, file), 'utf8')))).join('\n\n')
  const readme = files.find((file) => /^readme/i.test(file))
  if (readme === undefined) return undefined
  return /^(?:#+\s*licen[cs]e\s*|licen[cs]e\s*\n[-=]+)$(.*)/ims.exec(await readFile(join(folder, readme), 'utf8'))?.[1]
}
