/**
 * Selects the transport of a command: the gateway that `TOOLWAY_URL` names, else the one that `toolway login` named, otherwise the
 * local installation.
 */
import type { LoadedConfig } from '../../config.ts'
import { openConfig } from '../open-config.ts'
import { CommandFault, EXIT } from '../terminal/output.ts'
import { namedGateway, type NamedGateway } from './named-gateway.ts'
import { overHttp, overHttpByKey, signInFileOf } from './over-http.ts'
import { readSignIn } from './sign-in-file.ts'
import type { Transport } from './transport.ts'

/** A sign-in at the local installation's own gateway changes nothing: its commands are those of the holder of the data directory. */
export async function withTransport<T>(work: (transport: Transport) => Promise<T>): Promise<T> {
  const loaded = await openConfig()
  const named = await namedGateway(loaded)
  const kept = await readSignIn(signInFileOf(loaded))
  if (named !== undefined && !named.own) return work(transportTo(named, loaded, kept?.url))
  if (named === undefined && kept !== undefined && !kept.own) return work(overHttp(loaded, kept.url))
  const { inProcess } = await import('./in-process.ts')
  return inProcess(work)
}

/** As the person who signed in there, else by the key for it. Throws CommandFault. */
function transportTo({ url }: NamedGateway, loaded: LoadedConfig, signedInAt: string | undefined): Transport {
  if (signedInAt === url) return overHttp(loaded, url)
  const key = loaded.lookup('TOOLWAY_KEY')
  if (key !== undefined && key !== '') return overHttpByKey(url, key)
  throw new CommandFault(
    `TOOLWAY_URL names the gateway at ${url}, and you are not signed in there: run \`toolway login --url ${url}\`, set TOOLWAY_KEY to a key of that gateway, or unset TOOLWAY_URL.`,
    EXIT.unreachable,
  )
}
