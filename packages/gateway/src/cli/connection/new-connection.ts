/**
 * Converts the options of `toolway connection add` to request bodies of operations. Options that would have no effect are
 * refused.
 */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import {
  hasAddress,
  OperationEffects,
  OperationSelection,
  usualAddressOf,
  type CHILD_NETWORKS,
  type ContractWords,
  type KeyPlace,
  type Limit,
  type ServiceConnector,
} from '@toolway/contract'
import type { addConnection, addOpenApi } from '@toolway/contract/admin'
import type { z } from 'zod'
import { openConfig } from '../open-config.ts'
import { namesPrivate } from '../../kinds/remote.ts'
import { CommandFault, EXIT, type Output } from '../terminal/output.ts'
import { pairsOf } from '../terminal/secret-words.ts'
import { authOf, type AuthWords } from './auth-words.ts'
import type { Addressed } from './contact.ts'
import { sourceOf } from './document.ts'

/** Whether its address must be given. */
export const needsUrl = (connector: ServiceConnector): boolean =>
  hasAddress(connector) && usualAddressOf(connector) === undefined

export interface AddWords extends AuthWords, Addressed {
  readonly title?: string
  readonly url?: string
  readonly contract?: string
  /** A kind of server at `url` that speaks no MCP. */
  readonly connector?: ServiceConnector
  /** `name=value`: settings of that kind. */
  readonly set: readonly string[]
  /** The name of a native connector. */
  readonly native?: string
  /** Of a native connector: how far the tools reach whose scopes are asked for at first. */
  readonly scopesFor?: Limit
  /** Of a native connector: the file of somebody's own. */
  readonly source?: string
  readonly orgId?: string
  readonly sideEffects?: boolean
  readonly allow: readonly string[]
  readonly onBehalf?: boolean
  readonly header: readonly string[]
  readonly headerFrom?: string
  readonly env: readonly string[]
  readonly envFrom?: string
  /** Paths that a started server may use; `:ro` behind one that it may only read. */
  readonly allowPath?: readonly string[]
  readonly allowHost?: readonly string[]
  readonly network?: (typeof CHILD_NETWORKS)[number]
  readonly command: readonly string[]
  readonly revision: ConnectionBody['revision']
  readonly timeout?: number
  /** An address or a file. */
  readonly openapi?: string
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  /** `PATTERN=read` */
  readonly effect: readonly string[]
  /** `query:api_key` or `cookie:session` */
  readonly keyIn?: string
  readonly preview?: boolean
  /** Keep it even if its server refuses its key. */
  readonly force?: boolean
}

type ConnectionBody = z.input<(typeof addConnection)['body']>
type DocumentBody = z.input<(typeof addOpenApi)['body']>

const wrong = (message: string) => new CommandFault(message, EXIT.usage)

const headersOf = async ({ header, headerFrom }: AddWords, output: Output) =>
  pairsOf({ option: '--header', said: header, file: headerFrom }, (await openConfig()).lookup, output)

/** The reach of a started server. A path is that of the folder of this call. */
const accessOf = ({ network, allowHost = [], allowPath = [] }: AddWords) => ({
  ...(network === undefined ? {} : { network }),
  ...(allowHost.length === 0 ? {} : { allow_hosts: [...allowHost] }),
  ...(allowPath.length === 0 ? {} : { allow_paths: allowPath.map((path) => resolve(path)) }),
})

/** Throws CommandFault. */
export async function connectionBody(words: AddWords, output: Output): Promise<ConnectionBody> {
  const { alias, title = alias, url, contract, command, revision, timeout } = words
  const [program, ...args] = command
  refuseMixed(words)
  const common = { alias, title, revision, ...(timeout === undefined ? {} : { timeout }) }
  if (program !== undefined) {
    const pairWords = { option: '--env', said: words.env, file: words.envFrom } as const
    const environment = await pairsOf(pairWords, (await openConfig()).lookup, output)
    const accounts = authOf(words)
    return {
      ...{ ...common, command: program, args, environment, ...accessOf(words) },
      ...(accounts === undefined ? {} : { auth: accounts }),
    }
  }
  const headers = await headersOf(words, output)
  if (contract !== undefined)
    return { ...common, connector: 'contract', url: contract, headers, contract: contractWordsIn(words) }
  const auth = authOf(words)
  if (words.connector !== undefined) {
    const { connector } = words
    if (!hasAddress(connector)) return { ...common, connector }
    return { ...common, connector, ...(url === undefined ? {} : { url }), headers, [connector]: settingsIn(words) }
  }
  const reach = { ...(url === undefined ? {} : { url }), headers, ...(auth === undefined ? {} : { auth }) }
  if (words.native !== undefined) {
    const { native: vendor, scopesFor: scopes_for } = words
    const source = words.source === undefined ? {} : { source: await textOf(words.source) }
    return { ...common, connector: 'native', native: { vendor, scopes_for, ...source }, ...reach }
  }
  return { ...common, ...reach }
}

/** Throws CommandFault. */
const textOf = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((thrown: unknown) => {
    throw new CommandFault(`${file} cannot be read: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  })

function refuseMixed(words: AddWords): void {
  const { url, contract, command, header, headerFrom, env, envFrom } = words
  const { include, exclude, effect, keyIn, preview } = words
  if (include.length + exclude.length + effect.length > 0 || keyIn !== undefined || preview !== undefined)
    throw wrong('--include, --exclude, --effect, --key-in and --preview require --openapi.')
  const reach = (words.allowPath ?? []).length + (words.allowHost ?? []).length > 0 || words.network !== undefined
  if (reach && command[0] === undefined)
    throw wrong('--allow-path, --allow-host and --network apply only to a server that the gateway starts.')
  const ownAddress = words.connector === undefined || needsUrl(words.connector) ? undefined : words.connector
  const reaches = [words.native ?? url ?? ownAddress, contract, command[0]]
  if (reaches.filter((item) => item !== undefined).length !== 1)
    throw wrong(
      'Use --url ADDRESS for a remote server, -- COMMAND ARGUMENTS for one that the gateway starts, --openapi DOCUMENT for a REST API, --native VENDOR for a built-in connector, or --contract ADDRESS for a contract backend.',
    )
  if (words.source !== undefined && (words.native === undefined || url === undefined))
    throw wrong('--source requires --native VENDOR, and --url ADDRESS as the base address for its requests.')
  const isRemote = [url, contract, words.native, ownAddress].some((item) => item !== undefined)
  if (isRemote && (env.length > 0 || envFrom !== undefined))
    throw wrong('--env applies to a server that the gateway starts; use --header for a remote one.')
  if (!isRemote && (header.length > 0 || headerFrom !== undefined))
    throw wrong('--header applies to a remote server; use --env for one that the gateway starts.')
  if (words.set.length > 0 && words.connector === undefined) throw wrong('--set requires --connector.')
  const isBare = url === undefined && ownAddress === undefined
  if (words.connector !== undefined && (isBare || contract !== undefined || words.native !== undefined))
    throw wrong('--connector requires --url ADDRESS and cannot be combined with other sources.')
  const auth = authOf(words)
  if (words.connector !== undefined && auth !== undefined)
    throw wrong(`--auth and its options apply to MCP servers; use --header for ${words.connector}.`)
  if (!isRemote && auth !== undefined && auth.kind !== 'none' && auth.variable === undefined)
    throw wrong(
      'Use --env for a server that the gateway starts; for personal accounts, also set --account-variable NAME, the variable that contains the key or token.',
    )
  if (isRemote && auth?.variable !== undefined)
    throw wrong('--account-variable applies only to a server that the gateway starts.')
  if (contract !== undefined && auth !== undefined)
    throw wrong('--auth and its options apply to MCP servers; use --header for a contract backend.')
  if (contract === undefined && Object.keys(contractWordsIn(words)).length > 0)
    throw wrong('--org-id, --side-effects, --allow and --on-behalf require --contract.')
}

/** Values as JSON where they are, else as texts. The gateway checks them. */
function settingsIn({ set }: AddWords): Record<string, unknown> {
  return Object.fromEntries(
    set.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw wrong(`--set ${pair} is not name=value.`)
      return [pair.slice(0, at), valueOf(pair.slice(at + 1))]
    }),
  )
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const contractWordsIn = ({ orgId, sideEffects, allow, onBehalf }: AddWords): ContractWords => ({
  ...(orgId === undefined ? {} : { organization: orgId }),
  ...(sideEffects === undefined ? {} : { side_effects: sideEffects }),
  ...(allow.length === 0 ? {} : { allows: [...allow] }),
  ...(onBehalf === undefined ? {} : { on_behalf: onBehalf }),
})

type DocumentWords = AddWords & { readonly openapi: string }

/** A document and what is taken of it. Throws CommandFault. */
export async function readingBody(words: DocumentWords) {
  const { openapi, url, command, env, envFrom } = words
  if (command.length + env.length > 0 || envFrom !== undefined)
    throw wrong('--openapi is for a remote server: use it with --url and --header, not with a command.')
  const source = await sourceOf(openapi)
  return {
    ...{ ...source, ...selectionOf(words) },
    ...(url === undefined ? {} : { url }),
    // A private address that is written in so many words is meant.
    ...('document_url' in source && namesPrivate(openapi) ? { private: true } : {}),
  }
}

/** Throws CommandFault. */
export async function documentBody(words: DocumentWords, output: Output): Promise<DocumentBody> {
  const { alias, title, timeout, keyIn } = words
  const key = keyIn === undefined ? undefined : keyPlaceOf(keyIn)
  const auth = authOf(words)
  return {
    ...{ ...(await readingBody(words)), alias, headers: await headersOf(words, output) },
    ...(title === undefined ? {} : { title }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(key === undefined ? {} : { key }),
    ...(auth === undefined ? {} : { auth }),
  }
}

/** The operations that are meant. Throws CommandFault. */
function selectionOf({ include, exclude, effect }: AddWords) {
  const select = OperationSelection.parse({ ...(include.length === 0 ? {} : { include }), exclude })
  const pairs = effect.map((pair) => [pair.slice(0, pair.lastIndexOf('=')), pair.slice(pair.lastIndexOf('=') + 1)])
  const effects = OperationEffects.safeParse(Object.fromEntries(pairs))
  if (!effects.success) throw wrong('--effect must be PATTERN=read, PATTERN=write or PATTERN=destructive.')
  return { select, effects: effects.data }
}

function keyPlaceOf(text: string): KeyPlace {
  const [, location, name] = /^(query|cookie):(.+)$/.exec(text) ?? []
  if ((location !== 'query' && location !== 'cookie') || name === undefined)
    throw wrong('--key-in must be query:NAME or cookie:NAME; a header is set with --auth key.')
  return { in: location, name }
}
