/** `toolway login`, `logout` and `whoami`: a person's own sign-in at a gateway, here or elsewhere. */
import { join } from 'node:path'
import { TokenPair, Whoami } from '@toolway/contract/admin'
import { loadConfig, type LoadedConfig } from '../../config.ts'
import { isOwnGateway } from '../mcp-client.ts'
import { CommandFault, EXIT, table, type Output } from '../terminal/output.ts'
import {
  forgetSignIn,
  freshSignIn,
  keepSignIn,
  readSignIn,
  SIGN_IN_FILE,
  takeLock,
  type KeptSignIn,
} from './sign-in-file.ts'
import { addressOf, isMade } from '../store.ts'
import { askLine, readPassword } from '../terminal/terminal.ts'

export interface LoginWords {
  readonly url?: string
  readonly email?: string
  readonly organization?: string
  readonly passwordStdin?: boolean
}

const fileOf = ({ config }: LoadedConfig) => join(config.TOOLWAY_DATA, SIGN_IN_FILE)
const PATIENCE = 30_000

export async function login(words: LoginWords, output: Output): Promise<number> {
  const loaded = loadConfig()
  const url = await gatewayOf(words.url ?? loaded.lookup('TOOLWAY_URL'), loaded)
  const email = words.email ?? (await askLine('Email'))
  const password = await readPassword('Password', words.passwordStdin === true)
  const { organization } = words
  const body = { email, password, ...(organization === undefined ? {} : { organization }) }
  const answer = TokenPair.parse(await ask(url, 'POST', '/api/v1/auth/login', { body }))
  await using _lock = await lock(loaded)
  await keepSignIn(fileOf(loaded), keptOf(url, answer))
  output.result({ url, email: answer.user.email }, [`Signed in to ${url} as ${answer.user.email}.`])
  return EXIT.ok
}

export async function logout(output: Output): Promise<number> {
  const loaded = loadConfig()
  await using _lock = await lock(loaded)
  const kept = await readSignIn(fileOf(loaded))
  if (kept === undefined) {
    output.result({ signed_out: false }, ['Nobody is signed in here.'])
    return EXIT.ok
  }
  await ask(kept.url, 'POST', '/api/v1/auth/logout', { body: { refresh_token: kept.refresh_token } })
  await forgetSignIn(fileOf(loaded))
  output.result({ signed_out: true }, [`Signed out of ${kept.url}.`])
  return EXIT.ok
}

export async function whoami(output: Output): Promise<number> {
  const { url, answer } = await askSignedIn('GET', '/api/v1/auth/me')
  const me = Whoami.parse(answer)
  const rows = me.organizations.map(({ slug, name, role }) => [slug, name, role])
  output.result({ url, ...me }, [
    `${me.user?.email ?? me.id} at ${url}${me.user?.platform_admin === true ? ', who administers the platform' : ''}`,
    ...(rows.length === 0 ? ['Member of no organization yet.'] : table(['ORGANIZATION', 'NAME', 'ROLE'], rows)),
  ])
  return EXIT.ok
}

const lock = ({ config }: LoadedConfig) => takeLock(join(config.TOOLWAY_DATA, `${SIGN_IN_FILE}.lock`))

/** One request with the access token of who is signed in, renewed before where it has to be. */
export async function askSignedIn(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) {
  const loaded = loadConfig()
  const file = fileOf(loaded)
  const kept = await freshSignIn(file, renew)
  if (kept === undefined) throw new CommandFault('Nobody is signed in here: `toolway login` does.', EXIT.unreachable)
  const answer = await ask(kept.url, method, path, { body, token: kept.access_token })
  return { url: kept.url, answer }
}

async function renew({ url, refresh_token: token }: KeptSignIn): Promise<KeptSignIn> {
  return keptOf(
    url,
    TokenPair.parse(await ask(url, 'POST', '/api/v1/auth/refresh', { body: { refresh_token: token } })),
  )
}

const keptOf = (
  url: string,
  { access_token: access, refresh_token: refresh, expires_in: seconds, user }: TokenPair,
) => ({
  url,
  email: user.email,
  access_token: access ?? '',
  refresh_token: refresh ?? '',
  expires_at: Date.now() + seconds * 1000,
})

/** A password goes to the address that was named, or to this directory's own gateway; never to what else sits on its port. */
async function gatewayOf(given: string | undefined, loaded: LoadedConfig): Promise<string> {
  if (given !== undefined) return given.replace(/\/(mcp\/?)?$/, '')
  const address = await addressOf(loaded)
  if ((await isMade(loaded)) && (await isOwnGateway(address, loaded))) return address
  throw new CommandFault(
    `What answers at ${address}, if anything, is not the gateway of ${loaded.config.TOOLWAY_DATA}: start it, or name another with --url.`,
    EXIT.unreachable,
  )
}

async function ask(url: string, method: string, path: string, { body, token }: { body?: unknown; token?: string }) {
  const headers = {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  }
  const init = { method, headers, redirect: 'error', signal: AbortSignal.timeout(PATIENCE) } as const
  const response = await fetch(
    `${url}${path}`,
    body === undefined ? init : { ...init, body: JSON.stringify(body) },
  ).catch((thrown: unknown) => {
    throw new CommandFault(`No gateway answers at ${url}: start it, or correct --url.`, EXIT.unreachable, {
      cause: thrown,
    })
  })
  const text = await response.text()
  if (response.ok) return text === '' ? undefined : (JSON.parse(text) as unknown)
  throw new CommandFault(
    problemIn(text) ?? `${url} answers HTTP ${response.status}: is it a Toolway gateway?`,
    response.status === 401 ? EXIT.unreachable : EXIT.failed,
  )
}

function problemIn(text: string): string | undefined {
  try {
    const { detail, mend } = JSON.parse(text) as { detail?: unknown; mend?: unknown }
    return typeof detail === 'string' ? `${detail} ${typeof mend === 'string' ? mend : ''}`.trim() : undefined
  } catch {
    return undefined
  }
}
