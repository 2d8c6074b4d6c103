/**
 * Is the documentation there, and if not, how far is it? A package has the site beside the program. In a checkout, `npm start` builds
 * it beside a gateway that already serves (tools/docs.mjs), so the site is looked for again whenever somebody opens a page of it.
 *
 * A site is replaced in one step by its builder; while there is none, the last one that was read is served.
 */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { readSite, type Site } from '../console/site.ts'

/** `none`: nobody builds it. Seconds since the build began. The output of a builder may name paths of the host and is not shown. */
export type DocsState =
  | { readonly kind: 'none' }
  | { readonly kind: 'building'; readonly seconds: number }
  | { readonly kind: 'failed' }

export interface Docs {
  /** The site as it is now; undefined while there is none. */
  find(): Promise<Site | undefined>
  /** Why there is none. */
  state(): Promise<DocsState>
}

/** A builder touches its note every five seconds; one that is older was left by a builder that was killed. */
const STALE_MS = 30_000
const Note = z.union([z.object({ began: z.number() }), z.object({ failed: z.string() })])

/** @param folder of the site; the builder's note is beside it */
export async function openDocs(folder: string): Promise<Docs> {
  let read = { version: '', site: Promise.resolve<Site | undefined>(undefined) }

  async function find(): Promise<Site | undefined> {
    const version = await versionOf(join(folder, 'index.html'))
    // Two that ask at once share one reading.
    if (version !== undefined && version !== read.version) read = { version, site: readOr(read.site, folder) }
    return read.site
  }

  async function state(): Promise<DocsState> {
    const note = await noteIn(`${folder}.progress`)
    if (note === undefined) return { kind: 'none' }
    if ('failed' in note) return { kind: 'failed' }
    return { kind: 'building', seconds: Math.max(0, Math.round((Date.now() - note.began) / 1000)) }
  }

  await find()
  return { find, state }
}

/** The earlier site where the new one is replaced while it is read. */
const readOr = async (earlier: Promise<Site | undefined>, folder: string) =>
  (await readSite(folder).catch(() => undefined)) ?? earlier

/** Of the file's bytes, as the file system tells them apart; undefined where it is not there. */
async function versionOf(file: string): Promise<string | undefined> {
  const found = await stat(file).catch(() => undefined)
  return found === undefined ? undefined : `${found.ino} ${found.mtimeMs} ${found.size}`
}

/** Undefined as well for what a builder is just writing. */
async function noteIn(file: string): Promise<z.infer<typeof Note> | undefined> {
  const found = await stat(file).catch(() => undefined)
  if (found === undefined) return undefined
  try {
    const note = Note.parse(JSON.parse(await readFile(file, 'utf8')))
    return 'began' in note && Date.now() - found.mtimeMs > STALE_MS ? undefined : note
  } catch {
    return undefined
  }
}
