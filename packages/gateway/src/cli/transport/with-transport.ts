/** Selects the transport of a command: the remote gateway that `toolway login` named, otherwise the local installation. */
import { openConfig } from '../open-config.ts'
import { overHttp, signInFileOf } from './over-http.ts'
import { readSignIn } from './sign-in-file.ts'
import type { Transport } from './transport.ts'

/** A sign-in at the local installation's own gateway changes nothing: its commands are those of the holder of the data directory. */
export async function withTransport<T>(work: (transport: Transport) => Promise<T>): Promise<T> {
  const loaded = await openConfig()
  const kept = await readSignIn(signInFileOf(loaded))
  if (kept !== undefined && !kept.own) return work(overHttp(loaded, kept.url))
  const { inProcess } = await import('./in-process.ts')
  return inProcess(work)
}
