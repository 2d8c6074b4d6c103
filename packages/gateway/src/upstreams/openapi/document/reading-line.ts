/**
 * The order in which OpenAPI documents are read: one at a time, and one of each share (an organization) after the other, so that no
 * organization waits for all documents of another. Whoever leaves the line is not read.
 *
 * The texts that wait are in memory, so their length is bounded: for all shares together, and for each by what is still free. It knows
 * neither documents nor threads.
 */
import { Fault } from '@toolway/contract'

export interface LineBounds {
  /** Characters of the texts in the line and of the one that is being read. */
  readonly length: number
  /** Documents of one share that wait behind one that is being read. */
  readonly waiting: number
}

export interface Turn {
  readonly share: string
  /** Characters. */
  readonly length: number
  /** Aborted when its client has left. */
  readonly signal?: AbortSignal | undefined
}

interface Share {
  length: number
  readonly line: Set<() => void>
}

export class ReadingLine {
  readonly #bounds: LineBounds
  /** Shares of which something waits or is being read, in the order in which they are served. */
  readonly #shares = new Map<string, Share>()
  #length = 0
  #isBusy = false

  constructor(bounds: LineBounds) {
    this.#bounds = bounds
  }

  /** Does the work when its turn comes. Throws `gateway.not-ready` where the line is full, and `call.cancelled` for whoever left it. */
  async read<Result>({ share: name, length, signal }: Turn, work: () => Promise<Result>): Promise<Result> {
    if (signal?.aborted === true) throw new Fault('call.cancelled')
    const share = this.#shares.get(name) ?? { length: 0, line: new Set() }
    this.#admit(share, length)
    this.#shares.set(name, share)
    this.#count(share, length)
    try {
      await this.#turn(share, signal)
      try {
        return await work()
      } finally {
        this.#next(name, share)
      }
    } finally {
      this.#count(share, -length)
      if (share.length === 0 && share.line.size === 0 && this.#shares.get(name) === share) this.#shares.delete(name)
    }
  }

  /** A share without a text may have all that is left; beyond that, as much as is free after it. */
  #admit(share: Share, length: number): void {
    const { waiting, length: most } = this.#bounds
    if (share.line.size >= waiting)
      throw new Fault('gateway.not-ready', {
        problem: `${waiting} OpenAPI documents of this organization are waiting to be read`,
      })
    const free = most - this.#length - length
    if (free < 0 || (share.length > 0 && share.length + length > free))
      throw new Fault('gateway.not-ready', { problem: 'too many OpenAPI documents are being read' })
  }

  #count(share: Share, length: number): void {
    share.length += length
    this.#length += length
  }

  #turn({ line }: Share, signal: AbortSignal | undefined): Promise<void> | undefined {
    if (!this.#isBusy) {
      this.#isBusy = true
      return undefined
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leaveLine = () => {
      // Its turn may have come in the same moment: then the work itself ends.
      if (line.delete(begin)) reject(new Fault('call.cancelled'))
    }
    const begin = () => {
      signal?.removeEventListener('abort', leaveLine)
      resolve()
    }
    line.add(begin)
    signal?.addEventListener('abort', leaveLine, { once: true })
    return promise
  }

  /** The turn goes from this share to the one that was served longest ago; it stays taken, so that nobody gets in between. */
  #next(name: string, share: Share): void {
    if (this.#shares.get(name) === share) {
      this.#shares.delete(name)
      this.#shares.set(name, share)
    }
    for (const { line } of this.#shares.values()) {
      const [begin] = line
      if (begin === undefined) continue
      line.delete(begin)
      return begin()
    }
    this.#isBusy = false
  }
}
