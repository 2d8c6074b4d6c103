/** `toolway login`, `logout` and `whoami`: a person's own sign-in at a gateway, here or elsewhere. */
import { finishLogin, login as loginOperation, logout as logoutOperation, showMe } from '@toolway/contract/admin'
import { openConfig, type LoadedConfig } from '../../cli/open-config.ts'
import { isOwnGateway } from '../../cli/mcp-client.ts'
import { CommandFault, EXIT, table, type Output } from '../../cli/terminal/output.ts'
import { addressOf, isMade } from '../../cli/store.ts'
import { callOverHttp, keptOf, overHttp, signedIn, signInFileOf } from '../../cli/transport/over-http.ts'
import { baseOf, isOwnAddress, namedGateway } from '../../cli/transport/named-gateway.ts'
import { byKey } from '../../cli/transport/with-transport.ts'
import type { Transport } from '../../cli/transport/transport.ts'
import { forgetSignIn, keepSignIn, readSignIn, takeLock } from '../../cli/transport/sign-in-file.ts'
import { askLine, readPassword } from '../../cli/terminal/terminal.ts'

export interface LoginWords {
  readonly url?: string
  readonly email?: string
  readonly organization?: string
  readonly passwordStdin?: boolean
  readonly code?: string
}

export async function login(words: LoginWords, output: Output): Promise<number> {
  const loaded = await openConfig()
  const { url, own } = await gatewayOf(words.url ?? loaded.lookup('TOOLWAY_URL'), loaded)
  const email = words.email ?? (await askLine('Email'))
  const password = await readPassword('Password', words.passwordStdin === true)
  const { organization } = words
  const body = { email, password, ...(organization === undefined ? {} : { organization }) }
  const first = await callOverHttp({ url }, loginOperation, { body })
  const answer = 'second_step' in first ? await secondStep(url, first.second_step, words) : first
  await using _lock = await lock(loaded)
  await keepSignIn(signInFileOf(loaded), keptOf({ url, own }, answer))
  output.result({ url, email: answer.user.email }, [`Signed in to ${url} as ${answer.user.email}.`])
  return EXIT.ok
}

/** A terminal has no passkeys: a code of an app, or a recovery code. */
async function secondStep(url: string, { challenge }: { readonly challenge: string }, words: LoginWords) {
  if (words.code === undefined && words.passwordStdin === true)
    throw new CommandFault('This account has a second factor: send its code with --code.', EXIT.usage)
  const code = words.code ?? (await askLine('Code of your authenticator app, or a recovery code'))
  return callOverHttp({ url }, finishLogin, { body: { challenge, code } })
}

export async function logout(output: Output): Promise<number> {
  const loaded = await openConfig()
  await using _lock = await lock(loaded)
  const signIn = await readSignIn(signInFileOf(loaded))
  if (signIn === undefined) {
    output.result({ signed_out: false }, ['Nobody is signed in.'])
    return EXIT.ok
  }
  await callOverHttp(signIn, logoutOperation, { body: { refresh_token: signIn.refresh_token } })
  await forgetSignIn(signInFileOf(loaded))
  output.result({ signed_out: true }, [`Signed out of ${signIn.url}.`])
  return EXIT.ok
}

export async function whoami(output: Output): Promise<number> {
  const loaded = await openConfig()
  const transport = await asWhom(loaded)
  const { address: url } = transport
  const me = await transport.call(showMe)
  const rows = me.organizations.map(({ slug, name, role }) => [slug, name, role])
  output.result({ url, ...me }, [
    `${me.user?.email ?? me.id} at ${url}${me.user?.platform_admin === true ? ', platform administrator' : ''}`,
    ...(rows.length === 0 ? ['Not a member of any organization yet.'] : table(['ORGANIZATION', 'NAME', 'ROLE'], rows)),
  ])
  return EXIT.ok
}

/** The holder of TOOLWAY_KEY where it is set, as for `toolway call`; else whoever signed in. */
async function asWhom(loaded: LoadedConfig): Promise<Transport> {
  const signIn = await readSignIn(signInFileOf(loaded))
  return (await byKey(loaded, await namedGateway(loaded), signIn)) ?? overHttp(loaded, (await signedIn(loaded)).url)
}

const lock = (loaded: LoadedConfig) => takeLock(`${signInFileOf(loaded)}.lock`)

/** A password goes to the address that was named, or to this directory's own gateway; never to what else sits on its port. */
async function gatewayOf(input: string | undefined, loaded: LoadedConfig): Promise<{ url: string; own: boolean }> {
  const address = await addressOf(loaded)
  const url = input === undefined ? undefined : baseOf(input)
  const isMadeHere = await isMade(loaded)
  if (url !== undefined) return { url, own: isMadeHere && isOwnAddress(url, address, loaded) }
  if (isMadeHere && (await isOwnGateway(address, loaded))) return { url: address, own: true }
  throw new CommandFault(
    `The gateway for ${loaded.config.TOOLWAY_DATA} is not responding at ${address}: start it, or specify another with --url.`,
    EXIT.unreachable,
  )
}
