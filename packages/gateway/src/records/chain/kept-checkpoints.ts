/**
 * The last checkpoint of each chain that this gateway signed, in files of its data directory.
 *
 * A chain alone cannot show that its end was cut off together with its checkpoints: whoever owns the database removes both. A
 * checkpoint that is kept where the database's owner does not write shows it. One file for each chain, replaced whole.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Checkpoint } from './checkpoints.ts'

export interface KeptCheckpoints {
  /** In place of the one before. Throws what the file system says. */
  keep(item: Checkpoint): Promise<void>
  /** Throws SyntaxError for a file that was damaged. */
  find(organization: string): Promise<Checkpoint | undefined>
  /** Throws SyntaxError for a file that was damaged. */
  list(): Promise<Checkpoint[]>
}

const NAME = /^([\w-]{1,100})\.json$/

export function createKeptCheckpoints(directory: string): KeptCheckpoints {
  async function read(name: string): Promise<Checkpoint | undefined> {
    const path = join(directory, name)
    const text = await readFile(path, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
      if (thrown.code === 'ENOENT') return undefined
      throw thrown
    })
    if (text === undefined) return undefined
    const parsed = Checkpoint.safeParse(jsonIn(text))
    if (!parsed.success) throw new SyntaxError(`${path} is not a checkpoint`)
    return parsed.data
  }

  return {
    async keep(item) {
      const name = `${item.organization_id}.json`
      if (!NAME.test(name)) return
      await mkdir(directory, { recursive: true, mode: 0o700 })
      const fresh = join(directory, `.${item.organization_id}-${randomUUID()}`)
      await writeFile(fresh, `${JSON.stringify(item)}\n`, { mode: 0o600 })
      await rename(fresh, join(directory, name))
    },
    find: (organization) => read(`${organization}.json`),
    async list() {
      const names = await readdir(directory).catch((thrown: NodeJS.ErrnoException) => {
        if (thrown.code === 'ENOENT') return []
        throw thrown
      })
      const all = await Promise.all(names.filter((name) => NAME.test(name)).map(read))
      return all.filter((item) => item !== undefined)
    },
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
