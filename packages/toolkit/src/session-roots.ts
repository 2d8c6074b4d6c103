/**
 * The workspace of one session. The operator's roots (`--root`) are the outer limit: a client that names folders works in those of them that
 * lie within, and in all of the operator's where none does. Without roots of the operator, the client's folders serve.
 */
import { pathOfFileUri } from './files/file-uri.ts'
import { Workspace } from './files/workspace.ts'
import { LIMITS } from './limits.ts'
import { Refusal } from './refusal.ts'

const NONE =
  'No folder to work in is set: start the toolkit with --root FOLDER, or use a client that provides its folders (roots).'

interface Opened {
  /** Of the addresses that it was opened for. */
  readonly key: string
  readonly workspace: Workspace
  users: number
  /** The client has named others since. */
  left: boolean
}

export class SessionRoots implements AsyncDisposable {
  readonly #outer: Workspace | undefined
  readonly #tell: (line: string) => void
  #opened: Opened | undefined
  #opening: Promise<unknown> = Promise.resolve()

  /** @param outer of the operator; shared by the sessions of a process, and closed by whoever opened it */
  constructor(outer: Workspace | undefined, tell: (line: string) => void) {
    this.#outer = outer
    this.#tell = tell
  }

  /** @param uris that the client names; undefined: it names none */
  async use<T>(uris: readonly string[] | undefined, work: (workspace: Workspace) => Promise<T>): Promise<T> {
    if (uris === undefined || uris.length === 0) {
      if (this.#outer === undefined) throw new Refusal(NONE)
      return work(this.#outer)
    }
    const opened = await this.#turn(() => this.#lease(uris))
    try {
      return await work(opened.workspace)
    } finally {
      opened.users--
      await closeUnused(opened, this.#outer)
    }
  }

  /** One after another: two calls that begin together use one workspace. */
  #turn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#opening.then(work, work)
    this.#opening = done.catch(() => {})
    return done
  }

  async #lease(uris: readonly string[]): Promise<Opened> {
    const key = JSON.stringify(uris)
    if (this.#opened?.key !== key) {
      const workspace = await this.#open(uris)
      await this.#leave()
      this.#opened = { key, workspace, users: 0, left: false }
    }
    this.#opened.users++
    return this.#opened
  }

  async #leave(): Promise<void> {
    if (this.#opened === undefined) return
    this.#opened.left = true
    await closeUnused(this.#opened, this.#outer)
    this.#opened = undefined
  }

  async #open(uris: readonly string[]): Promise<Workspace> {
    const { folders, reasons } = foldersOf(uris)
    for (const reason of reasons) this.#tell(`a root of the client is not used: ${reason}`)
    if (this.#outer !== undefined) return (await this.#outer.within(folders)) ?? this.#outer
    if (folders.length === 0) throw new Refusal(`No root of the client can be used. ${reasons.join(' ')} ${NONE}`)
    return Workspace.open(folders)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#turn(() => this.#leave())
  }
}

async function closeUnused({ workspace, users, left }: Opened, outer: Workspace | undefined): Promise<void> {
  if (left && users === 0 && workspace !== outer) await workspace[Symbol.asyncDispose]()
}

function foldersOf(uris: readonly string[]) {
  const folders: string[] = []
  const reasons: string[] = []
  for (const uri of uris.slice(0, LIMITS.roots))
    try {
      folders.push(pathOfFileUri(uri))
    } catch (thrown) {
      reasons.push(thrown instanceof Error ? thrown.message : String(thrown))
    }
  return { folders, reasons }
}
