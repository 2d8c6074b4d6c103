/**
 * Where do the notes of the demo server live, and how are they kept whole?
 *
 * One file per note in one folder: a note is written to a temporary file and renamed, so a reader sees it whole or not
 * at all, and two processes with the same home never overwrite each other. Ids are made here and checked before they
 * touch a path. Bounded: MAX_NOTES notes (two processes adding in the same instant may pass it by one) of at most
 * MAX_TITLE and MAX_TEXT characters. Folder and files are readable by their owner only.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'

export const MAX_NOTES = 200
export const MAX_TITLE = 120
export const MAX_TEXT = 8_000
const ID = /^[0-9a-f]{10}$/

export const Note = z.object({
  id: z.string().regex(ID),
  title: z.string().min(1).max(MAX_TITLE),
  text: z.string().max(MAX_TEXT),
  tags: z.array(z.string().min(1).max(30)).max(10),
  added: z.iso.datetime(),
})
export type Note = z.output<typeof Note>

export interface Notebook {
  add(note: Pick<Note, 'title' | 'text' | 'tags'>): Promise<Note>
  find(id: string): Promise<Note | undefined>
  /** All notes, newest first, and the names of files that hold no note. */
  list(): Promise<{ notes: Note[]; unreadable: string[] }>
  /** The removed note, or undefined when there was none with this id. */
  remove(id: string): Promise<Note | undefined>
}

/** Opens the notebook kept in `folder`; the folder is made when the first note is added. */
export function openNotebook(folder: string, { now }: { now(): Date }): Notebook {
  let last: Promise<unknown> = Promise.resolve()
  /** One change after the other, so that the bound is counted and kept in one step. */
  const inTurn = <T>(change: () => Promise<T>): Promise<T> => {
    const turn = last.then(change, change)
    last = turn
    return turn
  }
  const find = (id: string) => (ID.test(id) ? readNote(folder, `${id}.json`) : Promise.resolve(undefined))
  return {
    find,
    list: () => listNotes(folder),
    add: (draft) =>
      inTurn(async () => {
        const names = await noteFiles(folder)
        if (names.length >= MAX_NOTES) throw new Error(`The notebook is full (${MAX_NOTES} notes); remove one first.`)
        const note = Note.parse({ ...draft, id: randomBytes(5).toString('hex'), added: now().toISOString() })
        await writeNote(folder, note).catch((thrown: unknown) => {
          // The reason may name a folder of the machine; the caller learns the code, the cause stays inside.
          throw new Error(`The notebook cannot be written (${codeOf(thrown) ?? 'unknown reason'}).`, { cause: thrown })
        })
        return note
      }),
    remove: (id) =>
      inTurn(async () => {
        const note = await find(id)
        if (note) await rm(join(folder, `${id}.json`), { force: true })
        return note
      }),
  }
}

async function listNotes(folder: string) {
  const names = await noteFiles(folder)
  const notes: Note[] = []
  const unreadable: string[] = []
  for (const name of names) {
    try {
      const note = await readNote(folder, name)
      if (note) notes.push(note)
    } catch {
      // One damaged file must not hide the other notes; its name is part of the answer.
      unreadable.push(name)
    }
  }
  return {
    notes: notes.toSorted((a, b) => (a.added < b.added ? 1 : a.added > b.added ? -1 : a.id < b.id ? -1 : 1)),
    unreadable,
  }
}

async function noteFiles(folder: string): Promise<string[]> {
  const names = await unlessMissing(() => readdir(folder))
  return (names ?? []).filter((name) => name.endsWith('.json') && ID.test(name.slice(0, -5)))
}

async function readNote(folder: string, name: string): Promise<Note | undefined> {
  const text = await unlessMissing(() => readFile(join(folder, name), 'utf8'))
  if (text === undefined) return undefined
  const note = Note.safeParse(parsed(text))
  if (!note.success || `${note.data.id}.json` !== name) throw new Error(`The note file ${name} is damaged.`)
  return note.data
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The schema refuses undefined, which words the damage in one place.
    return undefined
  }
}

async function writeNote(folder: string, note: Note): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const temporary = join(folder, `.${note.id}-${process.pid}.part`)
  try {
    await using file = await open(temporary, 'wx', 0o600)
    await file.writeFile(`${JSON.stringify(note, null, 2)}\n`)
    await file.sync()
  } catch (thrown) {
    await rm(temporary, { force: true })
    throw thrown
  }
  await rename(temporary, join(folder, `${note.id}.json`))
}

async function unlessMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined
    throw new Error(`The notebook cannot be read (${codeOf(thrown) ?? 'unknown reason'}).`, { cause: thrown })
  }
}

const codeOf = (thrown: unknown): string | undefined =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined
