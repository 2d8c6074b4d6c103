/** `toolway connection add NAME --openapi …` and `toolway connection refresh`: REST servers by their OpenAPI documents, on the local store. */
import {
  isOpenApi,
  DOCUMENT_LIMIT,
  Fault,
  OperationEffects,
  OperationSelection,
  TIMEOUTS,
  type KeyPlace,
} from '@toolway/contract'
import { readFile, stat } from 'node:fs/promises'
import { sealerOf, shownOf, type ConnectionWords } from '../../kinds/kinds.ts'
import { namesPrivate } from '../../kinds/remote.ts'
import { previewOf } from '../../admin/openapi/preview-of.ts'
import { providerOf } from '../../admin/openapi/provider-of.ts'
import { compare, keepDocument, renewal } from '../../admin/openapi/renew.ts'
import { baseOf, refuseEmpty } from '../../admin/openapi/sources.ts'
import { fetchDocument, readFor } from '../../call/openapi/documents.ts'
import { sealedRow } from '../../call/snapshot.ts'
import { loadConfig } from '../../config.ts'
import { addConnection, findConnection } from '../../connections/connections.ts'
import { findDocument, packDocument, putDocument } from '../../connections/openapi-documents.ts'
import { recordChange } from '../../records/change.ts'
import { createExceptions } from '../../upstreams/http/exceptions.ts'
import type { ReadApart } from '../../upstreams/openapi/document/read-apart.ts'
import { lettingInOf } from '../../upstreams/openapi/document/security.ts'
import { authOf, type AuthWords } from '../accounts/auth-words.ts'
import { parts, report } from '../connection.ts'
import { ownActor } from '../own-actor.ts'
import { withStore } from '../store.ts'
import { CommandFault, EXIT, type Output } from '../terminal/output.ts'
import { pairsOf } from '../terminal/secret-words.ts'
import { drawDrift, drawPreview } from './draw-preview.ts'
import { apiServerOf, type ApiWords } from '../../kinds/openapi/openapi.ts'

export interface OpenApiWords extends AuthWords {
  readonly organization: string
  readonly alias: string
  readonly title?: string | undefined
  /** An address or a file. */
  readonly openapi: string
  /** Where calls go; else as the document says. */
  readonly url?: string | undefined
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  /** `PATTERN=read` */
  readonly effect: readonly string[]
  /** `query:api_key` or `cookie:session` */
  readonly keyIn?: string | undefined
  readonly header: readonly string[]
  readonly headerFrom?: string | undefined
  readonly timeout?: number | undefined
  readonly preview?: boolean | undefined
  /** What only a server that is started here takes. */
  readonly command: readonly string[]
  readonly env: readonly string[]
  readonly envFrom?: string | undefined
}

const isAddress = (source: string): boolean => /^https?:\/\//i.test(source)

/** Whoever may read this machine's files may name its networks, too. */
async function textOf(source: string, alias: string, exceptions = createExceptions({ networks: [], hosts: [] })) {
  if (isAddress(source)) return fetchDocument(source, { alias, allowPrivate: namesPrivate(source), exceptions })
  const found = await stat(source).catch(() => undefined)
  if (found?.isFile() !== true) throw new CommandFault(`There is no file ${source}; an address starts with https://.`)
  if (found.size > DOCUMENT_LIMIT) throw new CommandFault(`The file ${source} is larger than ${DOCUMENT_LIMIT} bytes.`)
  return readFile(source, 'utf8')
}

async function worded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    if (thrown instanceof Fault)
      throw new CommandFault(`${thrown.message} ${thrown.mend}`, EXIT.failed, { cause: thrown })
    throw thrown
  }
}

/** How the words of a command say which operations are meant. Throws CommandFault. */
function chosen({ include, exclude, effect, keyIn }: OpenApiWords) {
  const select = OperationSelection.parse({ ...(include.length === 0 ? {} : { include }), exclude })
  const effects = OperationEffects.safeParse(
    Object.fromEntries(
      effect.map((pair) => {
        const at = pair.lastIndexOf('=')
        return [pair.slice(0, at), pair.slice(at + 1)]
      }),
    ),
  )
  if (!effects.success)
    throw new CommandFault('--effect is PATTERN=read, PATTERN=write or PATTERN=destructive.', EXIT.usage)
  return { select, effects: effects.data, key: keyIn === undefined ? undefined : keyPlaceOf(keyIn) }
}

function keyPlaceOf(said: string): KeyPlace {
  const [, place, name] = /^(query|cookie):(.+)$/.exec(said) ?? []
  if ((place !== 'query' && place !== 'cookie') || name === undefined)
    throw new CommandFault('--key-in is query:NAME or cookie:NAME; a header is said with --auth key.', EXIT.usage)
  return { in: place, name }
}

async function readOf(words: OpenApiWords) {
  const { select, effects, key } = chosen(words)
  const { openapi: source, url, alias } = words
  const document = isAddress(source) ? source : undefined
  const text = await textOf(source, alias)
  const reading = await readFor(text, { select, effects, url, document })
  return { text, reading, api: { document, select, effects, key }, base: baseOf(reading, url) }
}

export const add = (words: OpenApiWords, output: Output): Promise<number> =>
  worded(async () => {
    if (words.command.length + words.env.length > 0 || words.envFrom !== undefined)
      throw new CommandFault('--openapi is for a remote server: it takes --url and --header, no command.', EXIT.usage)
    const { text, reading, api, base } = await readOf(words)
    if (words.preview === true) {
      const preview = previewOf(reading, base)
      output.result(preview, drawPreview(preview))
      return EXIT.ok
    }
    refuseEmpty(reading)
    if (base === undefined)
      throw new CommandFault('The document does not say where its server is: say it with --url ADDRESS.', EXIT.usage)
    return keep(words, { text, reading, words: await wordsOf(words, { base, api, reading }, output) }, output)
  })

interface Said {
  readonly base: string
  readonly api: ApiWords
  readonly reading: ReadApart
}

async function wordsOf(words: OpenApiWords, { base, api, reading }: Said, output: Output): Promise<ConnectionWords> {
  const { lookup } = loadConfig()
  const headers = await pairsOf({ option: '--header', said: words.header, file: words.headerFrom }, lookup, output)
  const letting = lettingInOf(reading.schemes, providerOf(reading))
  const said = authOf(words)
  // A key of the document's own place is what its own way in is for.
  const key = api.key ?? (said === undefined ? letting.key : undefined)
  const wire = apiServerOf({ url: base, headers, auth: said ?? letting.auth, api: { ...api, key } })
  return { revision: 'auto', timeout: words.timeout ?? TIMEOUTS.http, wire, shown: shownOf(wire) }
}

async function keep(
  { organization: slug, alias, title }: OpenApiWords,
  { text, reading, words }: { text: string; reading: ReadApart; words: ConnectionWords },
  output: Output,
): Promise<number> {
  const { settings, secrets } = parts(words)
  const packed = await packDocument(text)
  return withStore(slug, async (opened) => {
    const { db, organization, vault } = opened
    const id = await db.organization(organization.id, async (sql) => {
      const added = await addConnection(sql, {
        organizationId: organization.id,
        alias,
        title: title ?? reading.title,
        settings,
        enabled: true,
        origin: 'command line',
        seal: sealerOf(secrets, vault.seal, sealedRow),
      })
      if (added === undefined) return undefined
      await putDocument(sql, organization.id, added, packed)
      const detail = { alias, connector: settings.connector, document: packed.digest }
      await recordChange(sql, ownActor(), organization.id, {
        action: 'connection.add',
        resource: 'connection',
        id: added,
        detail,
      })
      return added
    })
    if (id === undefined)
      throw new CommandFault(`The alias "${alias}" is taken: choose another, or remove that connection first.`)
    return report(opened, alias, 'Added', output)
  })
}

export interface RefreshWords {
  readonly organization: string
  readonly alias: string
  /** Another file or address than the one that the connection has. */
  readonly openapi?: string | undefined
  readonly apply?: boolean | undefined
}

/** What a newer document changes; kept only with `--apply`. */
export const refresh = ({ organization: slug, alias, openapi, apply = false }: RefreshWords, output: Output) =>
  worded(() =>
    withStore(slug, async (opened) => {
      const { db, organization } = opened
      const held = await db.organization(organization.id, (sql) => findConnection(sql, alias))
      if (held === undefined)
        throw new CommandFault(`There is no connection "${alias}"; \`toolway connection list\` shows them.`)
      const { settings, id } = held
      if (!isOpenApi(settings)) throw new CommandFault(`The connection "${alias}" is not made of an OpenAPI document.`)
      const source = openapi ?? settings.document
      if (source === undefined)
        throw new CommandFault(
          `The document of "${alias}" was given as a file: say which with --openapi FILE.`,
          EXIT.usage,
        )
      const text = await textOf(source, alias, createExceptions(organization.egress))
      const kept = await db.organization(organization.id, (sql) => findDocument(sql, id))
      const compared = await compare({ text, kept, settings, mode: held.tool_lock })
      const { same, drift, after, packed } = compared
      const applied = apply && !same
      if (applied) {
        refuseEmpty(after)
        await db.organization(organization.id, async (sql) => {
          await keepDocument(sql, { organizationId: organization.id, connectionId: id }, packed)
          await recordChange(sql, ownActor(), organization.id, renewal(id, compared))
        })
      }
      if (applied && !output.json) {
        for (const line of drawDrift(drift)) output.progress(line)
        return report(opened, alias, 'Refreshed', output)
      }
      const last = same
        ? 'It is the document that is kept.'
        : applied
          ? 'It is kept now.'
          : 'Nothing is kept of it yet: --apply takes it in.'
      output.result({ alias, applied, same, drift }, [...drawDrift(drift), last])
      return EXIT.ok
    }),
  )
