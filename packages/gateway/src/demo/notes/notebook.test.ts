import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { MAX_NOTES, openNotebook } from './notebook.ts'

async function emptyNotebook() {
  const home = await mkdtemp(join(tmpdir(), 'toolway-notes-'))
  const folder = join(home, 'notes')
  let minute = 0
  const now = () => new Date(Date.UTC(2026, 0, 1, 0, minute++))
  return {
    folder,
    open: () => openNotebook(folder, { now }),
    notebook: openNotebook(folder, { now }),
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  }
}

const draft = (title: string) => ({ title, text: 'text', tags: ['a'] })

describe('a notebook', () => {
  test('keeps notes between openings, newest first, and leaves no temporary file', async () => {
    await using fixture = await emptyNotebook()
    expect(await fixture.notebook.list()).toEqual({ notes: [], unreadable: [] })
    const first = await fixture.notebook.add(draft('first'))
    const second = await fixture.notebook.add(draft('second'))
    const { notes } = await fixture.open().list()
    expect(notes).toEqual([second, first])
    expect(await fixture.open().find(first.id)).toEqual(first)
    expect((await readdir(fixture.folder)).toSorted()).toEqual([`${first.id}.json`, `${second.id}.json`].toSorted())
    expect((await stat(join(fixture.folder, `${first.id}.json`))).mode & 0o777).toBe(0o600)
  })

  test('removes a note once, and says when there is none', async () => {
    await using fixture = await emptyNotebook()
    const note = await fixture.notebook.add(draft('gone soon'))
    expect(await fixture.notebook.remove(note.id)).toEqual(note)
    expect(await fixture.notebook.remove(note.id)).toBeUndefined()
    expect(await fixture.notebook.find(note.id)).toBeUndefined()
  })

  test('looks at no file outside its folder', async () => {
    await using fixture = await emptyNotebook()
    await fixture.notebook.add(draft('inside'))
    const outside = join(fixture.folder, '..', 'outside.json')
    await writeFile(outside, '{}')
    for (const id of ['../outside', '..%2foutside', '', 'outside', '0123456789/../../outside']) {
      expect(await fixture.notebook.find(id)).toBeUndefined()
      expect(await fixture.notebook.remove(id)).toBeUndefined()
    }
    expect((await stat(outside)).isFile()).toBe(true)
  })

  test('shows the other notes when one file is damaged, and names it', async () => {
    await using fixture = await emptyNotebook()
    const note = await fixture.notebook.add(draft('whole'))
    await writeFile(join(fixture.folder, 'aaaaaaaaaa.json'), '{"id": "aaaaaaaaaa", "ti')
    await writeFile(join(fixture.folder, 'bbbbbbbbbb.json'), JSON.stringify(note))
    const { notes, unreadable } = await fixture.notebook.list()
    expect(notes).toEqual([note])
    expect(unreadable.toSorted()).toEqual(['aaaaaaaaaa.json', 'bbbbbbbbbb.json'])
    await expect(fixture.notebook.find('aaaaaaaaaa')).rejects.toThrow('The note file aaaaaaaaaa.json is damaged.')
  })

  test('is full at its bound, even when several are added at once, and takes one again after one is removed', async () => {
    await using fixture = await emptyNotebook()
    const { notebook, folder } = fixture
    const kept = await notebook.add(draft('kept'))
    for (let at = 0; at < MAX_NOTES - 3; at += 1)
      await writeFile(join(folder, `${String(at).padStart(10, '0')}.json`), '')
    const adding = await Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map((title) => notebook.add(draft(title))))
    expect(adding.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected', 'rejected'])
    await expect(notebook.add(draft('one more'))).rejects.toThrow('The notebook is full (200 notes)')
    await notebook.remove(kept.id)
    expect(await notebook.add(draft('one more'))).toMatchObject({ title: 'one more' })
  })

  test('says that it cannot be kept without naming a folder of the machine', async () => {
    await using fixture = await emptyNotebook()
    await writeFile(fixture.folder, 'a file where the folder belongs')
    const { notebook } = fixture
    for (const attempt of [() => notebook.add(draft('x')), () => notebook.list(), () => notebook.find('0123456789')]) {
      await expect(attempt()).rejects.toThrow(/^The notebook cannot be read \(ENOTDIR\)\.$/)
    }
  })

  test('refuses what would not fit and writes nothing', async () => {
    await using fixture = await emptyNotebook()
    await expect(fixture.notebook.add({ title: '', text: '', tags: [] })).rejects.toThrow()
    await expect(fixture.notebook.add({ title: 'x', text: 'x'.repeat(8_001), tags: [] })).rejects.toThrow()
    expect((await fixture.notebook.list()).notes).toEqual([])
  })
})
