/** How long one caller waits for what several wait for: until it is there, its own end, or its time. The others wait on. */
import { Fault } from '@toolway/contract'

export interface Patience {
  readonly alias: string
  readonly seconds: number
  readonly signal: AbortSignal
}

/** Rejects with the reason of the signal, or with `upstream.timeout`. */
export function waitFor<T>(shared: Promise<T>, { alias, seconds, signal }: Patience): Promise<T> {
  return new Promise((resolve, reject) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', cancelWait)
    }
    const cancelWait = () => {
      done()
      reject(signal.reason instanceof Fault ? signal.reason : new Fault('call.cancelled'))
    }
    const timer = setTimeout(() => {
      done()
      reject(new Fault('upstream.timeout', { connection: alias, seconds }))
    }, seconds * 1000)
    signal.addEventListener('abort', cancelWait, { once: true })
    shared.then(resolve, reject).finally(done)
    if (signal.aborted) cancelWait()
  })
}
