/** Operations called over HTTP at a gateway, by the sign-in of `toolway login`, which is renewed before where it has to be. */
import { join } from 'node:path'
import { refresh, type Operation, type TokenPair } from '@toolway/contract/admin'
import type { z } from 'zod'
import type { LoadedConfig } from '../../config.ts'
import { CommandFault, EXIT } from '../terminal/output.ts'
import { freshSignIn, SIGN_IN_FILE, type KeptSignIn } from './sign-in-file.ts'
import { Refusal, textsOf, type Input, type Transport } from './transport.ts'

export const signInFileOf = ({ config }: LoadedConfig) => join(config.TOOLWAY_DATA, SIGN_IN_FILE)

/** Milliseconds. A connection that is asked for its tools may take this long. */
const PATIENCE_MS = 120_000
/** Milliseconds. Exports and verifications of long audit logs take this long at most. */
const LONG_PATIENCE_MS = 3_600_000

interface Reach {
  readonly url: string
  readonly token?: string
}

/** One operation at a gateway; without a token for what anybody may. Throws Refusal and CommandFault. */
export async function callOverHttp<Op extends Operation>(
  reach: Reach,
  operation: Op,
  input?: Input<Op>,
): Promise<z.output<Op['answer']>> {
  const text = await (await send(reach, operation, input)).text()
  const read = operation.answer.safeParse(text === '' ? undefined : JSON.parse(text))
  if (read.success) return read.data as z.output<Op['answer']>
  throw new CommandFault(
    `${reach.url} returned an unexpected response to ${operation.id}: is it a Toolway gateway of a different version?`,
  )
}

/** The transport of who is signed in. Throws CommandFault where nobody is. */
export const overHttp = (loaded: LoadedConfig, remote: string): Transport =>
  transportTo(remote, async () => {
    const { url, access_token: token } = await signedIn(loaded)
    return { url, token }
  })

/** The transport of the holder of an API key. */
export const overHttpByKey = (remote: string, token: string): Transport =>
  transportTo(remote, () => Promise.resolve({ url: remote, token }))

function transportTo(remote: string, reach: () => Promise<Reach>): Transport {
  return {
    remote,
    address: remote,
    isServing: () => Promise.resolve(true),
    call: async (operation, input) => callOverHttp(await reach(), operation, input),
    async stream(operation, input) {
      const { body } = await send(await reach(), operation, input)
      if (body === null) throw new Error(`The response to ${operation.id} has no body`)
      return body
    },
  }
}

/** Throws CommandFault where nobody is signed in, and Refusal where the sign-in has ended. */
export async function signedIn(loaded: LoadedConfig): Promise<KeptSignIn> {
  const signIn = await freshSignIn(signInFileOf(loaded), renew)
  if (signIn === undefined) throw new CommandFault('Not signed in: run `toolway login`.', EXIT.unreachable)
  return signIn
}

const renew = async ({ url, own, refresh_token }: KeptSignIn): Promise<KeptSignIn> =>
  keptOf({ url, own }, await callOverHttp({ url }, refresh, { body: { refresh_token } }))

export const keptOf = (
  { url, own }: Pick<KeptSignIn, 'url' | 'own'>,
  { access_token: access, refresh_token: refresh, expires_in: seconds, user }: TokenPair,
): KeptSignIn => ({
  ...{ url, own, email: user.email },
  access_token: access ?? '',
  refresh_token: refresh ?? '',
  expires_at: Date.now() + seconds * 1000,
})

function addressOf(url: string, { path, id }: Operation, { params = {}, query }: Input<Operation>): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined || value === '') throw new Error(`${id} needs ${name}`)
    return encodeURIComponent(value)
  })
  const search = new URLSearchParams(textsOf(query)).toString()
  return `${url}${filled}${search === '' ? '' : `?${search}`}`
}

async function send<Op extends Operation>(
  { url, token }: Reach,
  operation: Op,
  input: Input<Op> = {},
): Promise<Response> {
  const { body, ifMatch } = input
  const isLong = operation.progress !== undefined || operation.media !== undefined
  const response = await fetch(addressOf(url, operation, input as Input<Operation>), {
    method: operation.method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(ifMatch === undefined ? {} : { 'if-match': `"${ifMatch}"` }),
    },
    redirect: 'error',
    signal: AbortSignal.timeout(isLong ? LONG_PATIENCE_MS : PATIENCE_MS),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((thrown: unknown) => {
    throw new CommandFault(
      `No gateway is responding at ${url}: start the gateway, or sign in to another one with \`toolway login --url ADDRESS\`.`,
      EXIT.unreachable,
      { cause: thrown },
    )
  })
  if (response.ok) return response
  throw refusalIn(await response.text(), response.status, url)
}

/** RFC 9457, as the admin door says it. */
function refusalIn(text: string, status: number, url: string): Refusal {
  const strange = {
    ...{ code: '', status, mend: '' },
    message: `${url} returned HTTP ${status}: is it a Toolway gateway?`,
  }
  try {
    const { detail, mend, code } = JSON.parse(text) as Record<string, unknown>
    if (typeof detail !== 'string') return new Refusal(strange)
    return new Refusal({
      ...{ code: typeof code === 'string' ? code : '', status, message: detail },
      mend: typeof mend === 'string' ? mend : '',
    })
  } catch {
    return new Refusal(strange)
  }
}
