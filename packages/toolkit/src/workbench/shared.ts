/**
 * Something that is made once for all calls that need it. A call that gives up leaves it to the others; with the last one the making
 * stops. What failed is made again by the next call.
 */
interface Making<Value> {
  readonly stop: AbortController
  readonly promise: Promise<Value>
  waiting: number
  value?: Value
  settled: boolean
}

export class Shared<Value> {
  #making: Making<Value> | undefined

  /** @param signal of the call; `make` gets another one, which is not aborted once the value is there */
  async get(signal: AbortSignal, make: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
    signal.throwIfAborted()
    const making = (this.#making ??= this.#begin(make))
    making.waiting++
    const { promise: gaveUp, reject } = Promise.withResolvers<never>()
    const abort = () => reject(signal.reason as Error)
    signal.addEventListener('abort', abort, { once: true })
    try {
      return await Promise.race([making.promise, gaveUp])
    } finally {
      signal.removeEventListener('abort', abort)
      if (--making.waiting === 0 && !making.settled) {
        this.#forget(making)
        making.stop.abort()
      }
    }
  }

  /** The value is of no use any more. A newer one stays. */
  drop(value: Value): void {
    if (this.#making?.value === value) this.#making = undefined
  }

  #begin(make: (signal: AbortSignal) => Promise<Value>): Making<Value> {
    const stop = new AbortController()
    const making: Making<Value> = { stop, promise: make(stop.signal), waiting: 0, settled: false }
    making.promise.then(
      (value) => Object.assign(making, { value, settled: true }),
      () => {
        making.settled = true
        this.#forget(making)
      },
    )
    return making
  }

  #forget(making: Making<Value>): void {
    if (this.#making === making) this.#making = undefined
  }
}
