/**
 * The bridge between this machine and a workbench (ledger S4-TK-16): it keeps the workbench of its session, which is opened when it is
 * first needed, and carries files up and down. Local and remote paths are checked here and never mixed.
 */
import { remotePath, type LocalPath, type LocalText, type RemotePath, type RemoteText } from '../files/paths.ts'
import type { Workspace } from '../files/workspace.ts'
import { carryDown, type Downloaded } from './download.ts'
import { Refusal } from '../refusal.ts'
import { isFailure } from './remote-failure.ts'
import { Shared } from './shared.ts'
import { carryUp, type Carried, type Carrying } from './upload.ts'
import type { Doing, Workbench, WorkbenchClient } from './workbench.ts'

export interface Transfer extends Carrying {
  readonly workspace: Workspace
  readonly localPath: LocalText
  readonly remotePath: RemoteText
  /** A session that is there already; else the bridge opens one, and uses it again. */
  readonly sessionId?: string | undefined
}

export interface Ended {
  readonly localPath: LocalPath
  readonly remotePath: RemotePath
  readonly sessionId: string | undefined
}

export class WorkbenchBridge {
  readonly #client: WorkbenchClient
  readonly #user: string | undefined
  /** Of this bridge; opened by the first transfer that names no session. */
  readonly #sandbox = new Shared<Workbench>()
  /** Uploads under way: two into one file would write the same part. */
  readonly #uploading = new Set<string>()

  constructor(client: WorkbenchClient, user?: string) {
    this.#client = client
    this.#user = user
  }

  async upload(transfer: Transfer): Promise<Carried & Ended> {
    const remote = remotePath(transfer.remotePath)
    await using file = await transfer.workspace.open(transfer.localPath)
    // Awaited here: the file is closed at the end of this block.
    return await this.#within(transfer, async (bench) => {
      const key = JSON.stringify([bench.session, remote])
      if (this.#uploading.has(key))
        throw new Refusal(`${remote} is being uploaded by another call: try again when it has ended.`, 'UNAVAILABLE', {
          retryable: true,
        })
      this.#uploading.add(key)
      try {
        const carried = await carryUp(bench, file, remote, transfer)
        return { ...carried, localPath: file.path, remotePath: remote, sessionId: bench.session }
      } finally {
        this.#uploading.delete(key)
      }
    })
  }

  async download(transfer: Transfer): Promise<Downloaded & Ended> {
    const remote = remotePath(transfer.remotePath)
    const { workspace, localPath: local } = transfer
    return this.#within(transfer, async (bench) => {
      const carried = await carryDown({ bench, workspace, remote, local }, transfer)
      return { ...carried, localPath: carried.path, remotePath: remote, sessionId: bench.session }
    })
  }

  /** Once more with a new session where the bridge's own has ended; a session that the caller named is the caller's to replace. */
  async #within<Value>(transfer: Transfer, act: (bench: Workbench) => Promise<Value>): Promise<Value> {
    const { sessionId: session, signal } = transfer
    if (session !== undefined) return act(await this.#client.open(this.#user, session, { signal }))
    const bench = await this.#ensureSandbox({ signal })
    try {
      return await act(bench)
    } catch (thrown) {
      if (!isFailure(thrown, 'session')) throw thrown
      this.#sandbox.drop(bench)
      if (bench.session !== undefined) await this.#client.forget?.(this.#user, bench.session)
      return act(await this.#ensureSandbox({ signal }))
    }
  }

  #ensureSandbox({ signal }: Doing): Promise<Workbench> {
    return this.#sandbox.get(signal, (making) => this.#client.open(this.#user, undefined, { signal: making }))
  }
}
