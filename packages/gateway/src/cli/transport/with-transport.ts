/**
 * Selects the transport of a command: the gateway that `TOOLWAY_URL` names, else the one that `toolway login` named, otherwise the
 * local installation.
 */
import type { LoadedConfig } from '../../config.ts'
import { openConfig } from '../open-config.ts'
import { addressOf } from '../store.ts'
import { CommandFault, EXIT } from '../terminal/output.ts'
import { namedGateway, type NamedGateway } from './named-gateway.ts'
import { overHttp, overHttpByKey, signInFileOf } from './over-http.ts'
import { readSignIn } from './sign-in-file.ts'
import type { Transport } from './transport.ts'

/** A sign-in at the local installation's own gateway changes nothing: its commands are those of the holder of the data directory. */
export async function withTransport<T>(
  work: (transport: Transport) => Promise<T>,
  { asCaller = false }: { readonly asCaller?: boolean } = {},
): Promise<T> {
  const loaded = await openConfig()
  const named = await namedGateway(loaded)
  const signIn = await readSignIn(signInFileOf(loaded))
  const caller = asCaller ? await byKey(loaded, named, signIn) : undefined
  if (caller !== undefined) return work(caller)
  if (named !== undefined && !named.own) return work(transportTo(named, loaded, signIn?.url))
  if (named === undefined && signIn !== undefined && !signIn.own) return work(overHttp(loaded, signIn.url))
  const { inProcess } = await import('./in-process.ts')
  return inProcess(work)
}

/**
 * The holder of the key in the environment, for commands about what belongs to whoever calls: at the gateway that is named, else at
 * that of the data directory. A sign-in at another gateway counts for more where none is named, as no key is sent to an address
 * that it may not be for. Undefined where no key is set.
 */
export async function byKey(
  loaded: LoadedConfig,
  named: NamedGateway | undefined,
  stored: { readonly own: boolean } | undefined,
): Promise<Transport | undefined> {
  const key = loaded.lookup('TOOLWAY_KEY')
  if (key === undefined || key === '' || (named === undefined && stored?.own === false)) return undefined
  return overHttpByKey(named?.url ?? (await addressOf(loaded)), key)
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
