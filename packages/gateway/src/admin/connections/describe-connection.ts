/** From what a person wrote to what is kept: secrets apart from settings, and private addresses only where an operator names them. */
import {
  ConnectionSecrets,
  ConnectionSettings,
  type ContractWords,
  Fault,
  type ConnectionAuthChange,
  type ConnectionId,
  type KeyPlace,
  type OpenApiSettings,
} from '@toolway/contract'
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { isIP } from 'node:net'
import { maskArguments, maskUrl } from '../../lib/secret-marks.ts'

/** What is said of an OpenAPI document beside where it is; the text itself is kept apart. */
export interface ApiWords extends Pick<OpenApiSettings, 'select' | 'effects'> {
  readonly document: string | undefined
  readonly key: KeyPlace | undefined
}

export interface ConnectionWords {
  readonly revision: ConnectionSettings['revision']
  readonly timeout: number
  readonly checks?: ConnectionSettings['checks'] | undefined
  readonly wire:
    | {
        readonly kind: 'http'
        readonly url: string
        readonly headers: Readonly<Record<string, string>>
        readonly auth?: ConnectionAuthChange
        /** It is a REST server, whose operations an OpenAPI document describes. */
        readonly api?: ApiWords
      }
    | {
        readonly kind: 'process'
        readonly command: string
        readonly args: readonly string[]
        readonly environment: Readonly<Record<string, string>>
      }
    | {
        readonly kind: 'contract'
        readonly url: string
        readonly headers: Readonly<Record<string, string>>
        readonly words: ContractWords
      }
  /** How the address or the command line may be shown, where it holds a secret. */
  readonly shown?: { readonly url?: string; readonly args?: readonly string[] }
}

export interface ConnectionParts {
  readonly settings: ConnectionSettings
  readonly secrets: ConnectionSecrets
}

export function partsOf({ revision, timeout, checks, wire, shown }: ConnectionWords): ConnectionParts {
  // Absent where nobody says it, so that what stays the same is the same.
  const own = checks === undefined ? {} : { checks }
  if (wire.kind !== 'process') {
    refuseUserInfo(wire.url)
    for (const [name, value] of Object.entries(wire.headers)) refuseHeader(name, value)
    if (wire.kind === 'http') refuseAccounts(wire.url, wire.auth)
    const url = shown?.url ?? wire.url
    const remote = { url, revision, timeout, private: namesPrivate(wire.url) }
    return {
      settings: checked(
        wire.kind === 'http'
          ? { connector: 'mcp.http', ...remote, ...own, auth: wire.auth, ...apiSettings(wire.api, wire.url) }
          : { connector: 'contract', ...remote, ...own, ...wire.words },
      ),
      secrets: ConnectionSecrets.parse({ headers: wire.headers, ...(url === wire.url ? {} : { url: wire.url }) }),
    }
  }
  const args = [...(shown?.args ?? wire.args)]
  const masked = args.some((arg, index) => arg !== wire.args[index])
  return {
    settings: checked({ connector: 'mcp.process', command: wire.command, args, revision, timeout, ...own }),
    secrets: ConnectionSecrets.parse({ environment: wire.environment, ...(masked ? { args: [...wire.args] } : {}) }),
  }
}

function apiSettings(api: ApiWords | undefined, url: string) {
  if (api === undefined) return {}
  const { document, select, effects, key } = api
  const isPrivate = namesPrivate(url) || (document !== undefined && namesPrivate(document))
  return {
    connector: 'openapi',
    ...(document === undefined ? {} : { document }),
    select,
    effects,
    ...(key === undefined ? {} : { key }),
    private: isPrivate,
  }
}

/** Addresses and arguments as they may be shown: what looks like a secret in them is masked, and sealed. */
export function shownOf(wire: ConnectionWords['wire']): { url?: string; args?: string[] } {
  if (wire.kind !== 'process') {
    const url = maskUrl(wire.url)
    // A slash at the end hides nothing.
    return { url: url === `${wire.url}/` ? wire.url : url }
  }
  return { args: maskArguments(wire.args) }
}

/** Credentials in front of a host are easily shown by mistake; a header is sealed. */
function refuseUserInfo(url: string): void {
  if (!URL.canParse(url)) return
  const { username, password } = new URL(url)
  if (username === '' && password === '') return
  throw new Fault('params.shape', {
    place: '/url',
    problem: 'holds a user name or password: send them as an Authorization header instead',
  })
}

/** A WebSocket is let in when it is opened, by headers of its own, for everybody. */
function refuseAccounts(url: string, auth: ConnectionAuthChange | undefined): void {
  if (!/^wss?:/i.test(url) || (auth?.kind !== 'oauth' && auth?.kind !== 'key')) return
  throw new Fault('params.shape', {
    place: '/auth/kind',
    problem: `cannot be ${auth.kind} for a WebSocket: give its key as a header`,
  })
}

/** Written by the gateway for each request; a connection cannot speak for it. */
const OWN_HEADERS =
  /^(host|content-length|content-type|transfer-encoding|connection|keep-alive|upgrade|te|trailer|accept|last-event-id|mcp-.*|sec-websocket-.*)$/i

function refuseHeader(name: string, value: string): void {
  const refuse = (problem: string) => new Fault('params.shape', { place: `/headers/${name}`, problem })
  if (OWN_HEADERS.test(name)) throw refuse('is written by the gateway itself')
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
  } catch {
    throw refuse('has a name or a value that no header can hold')
  }
}

function checked(settings: unknown): ConnectionSettings {
  const parsed = ConnectionSettings.safeParse(settings)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new Fault('params.shape', {
    place: `/${issue?.path.join('/') ?? ''}`,
    problem: issue?.message ?? 'does not fit',
  })
}

/**
 * Whether the operator wrote a private address in so many words. A name that merely resolves to one does not count: that is
 * how a name of somebody else's gets at what only this machine can reach.
 */
export function namesPrivate(url: string): boolean {
  if (!URL.canParse(url)) return false
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host.endsWith('.internal') ||
    host.endsWith('.local') ||
    isIP(host) !== 0
  )
}

export const sealerOf =
  (secrets: ConnectionSecrets, seal: (text: string, row: string) => Buffer, rowOf: (id: ConnectionId) => string) =>
  (id: ConnectionId): Buffer | undefined => {
    const empty = Object.keys(secrets.headers).length + Object.keys(secrets.environment).length === 0
    return empty && secrets.url === undefined && secrets.args === undefined
      ? undefined
      : seal(JSON.stringify(secrets), rowOf(id))
  }
