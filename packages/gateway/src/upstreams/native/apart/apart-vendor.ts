/**
 * Somebody's own connector, in a process of its own that the worker starts. The process makes requests and reads answers; it never
 * sees the account, and everything that it says is checked. A process that hangs is ended, and started again for the next call.
 */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  callOf,
  problemOfTemplates,
  templatesOf,
  ToolFailure,
  type Failure,
  type ManyRequest,
  type Vendor,
  type VendorRequest,
} from '@toolway/connectors'
import { Fault } from '@toolway/contract'
import { isObject, type JsonObject } from '@toolway/protocol'
import { schemaRead } from '../../../lib/json-schema/schemas-read.ts'
import { UnusableSchema } from '../../../lib/json-schema/usable.ts'
import type { Child } from '../../children/child.ts'
import type { Launch } from '../../children/launch.ts'
import type { LoadedTool, LoadedVendor, ResourceCall } from '../loaded-vendor.ts'
import { Said, type Facts, type Told, type ToolFacts } from './messages.ts'

const HOST = fileURLToPath(new URL('./host.ts', import.meta.url))
/** The folder that the program may read: in a checkout all sources, else the bundle. */
const READS = HOST.endsWith('.ts') ? resolve(HOST, '../../../../../../..') : resolve(HOST, '..')
const MEGABYTE = 1024 * 1024
const FLAGS = ['--permission', `--allow-fs-read=${READS}/*`, '--max-old-space-size=192', '--no-warnings']
/** Milliseconds that the process may think about one line. */
const PATIENCE_MS = 10_000

export interface ApartParts {
  readonly alias: string
  /** Names the process. */
  readonly connectionId: string
  /** The name that its tools begin with. */
  readonly vendor: string
  readonly source: string
  /** Where its requests may go: the host of the connection. */
  readonly address: string
  /** Whether an administrator believes what it says of the effects of its tools. */
  readonly trusted: boolean
  start(launch: Launch): Promise<Child>
}

/** Loads it; rejects with `upstream.unreachable`. The tools start the process again where it has ended. */
export async function loadApart(parts: ApartParts): Promise<LoadedVendor> {
  const process = new ConnectorProcess(parts)
  const { facts } = await process.open()
  if (facts.id !== parts.vendor) {
    void process.close()
    throw unreachable(parts.alias, `its source is the connector ${facts.id}, not ${parts.vendor}`)
  }
  const loadedTool = (name: string, { effect, scopes }: ToolFacts): LoadedTool => ({
    effect,
    scopes,
    run: (input, key) => process.run({ name, effect }, input, key),
  })
  const { id, resources } = facts
  const known = { id, resources, tools: new Map(facts.tools.map((tool) => [tool.name, tool])) }
  return {
    id,
    auth: facts.auth as Vendor['auth'],
    whoami: loadedTool(WHOAMI, facts.whoami),
    tools: new Map(facts.tools.map((tool) => [tool.name, loadedTool(tool.name, tool)])),
    definitions: () => facts.tools.map(({ definition }) => definition as JsonObject),
    templates: () => templatesOf(known) as JsonObject[],
    callFor: (uri) => callOf(known, uri, acceptsInput) as ResourceCall | undefined,
    close: () => process.close(),
  }
}

/** By the reader of schemas that others wrote: its work is bounded, and no pattern of theirs backtracks. */
function acceptsInput({ definition }: ToolFacts, input: string, value: string): boolean {
  const schema = definition['inputSchema']
  const { properties, $defs } = isObject(schema) ? schema : {}
  const own = isObject(properties) && Object.hasOwn(properties, input) ? properties[input] : undefined
  if (!isObject(own)) return true
  try {
    return schemaRead({ ...($defs === undefined ? {} : { $defs }), ...own }).check(value).count === 0
  } catch (thrown) {
    if (thrown instanceof UnusableSchema) return true
    throw thrown
  }
}

const unreachable = (alias: string, problem: string) =>
  new Fault('upstream.unreachable', { connection: alias, problem })

interface Opened {
  readonly child: Child
  readonly facts: Facts
}
type Turn = Exclude<Said, { ready: unknown } | { unread: unknown }>

class ConnectorProcess {
  readonly #parts: ApartParts
  readonly #waiting = new Map<number, PromiseWithResolvers<Turn> & { readonly child: Child }>()
  #opening: Promise<Opened> | undefined
  #last = 0

  constructor(parts: ApartParts) {
    this.#parts = parts
  }

  open(): Promise<Opened> {
    if (this.#opening !== undefined) return this.#opening
    const opening = this.#start()
    this.#opening = opening
    const forget = () => {
      if (this.#opening === opening) this.#opening = undefined
    }
    opening.then(({ child }) => child.onExit(forget), forget)
    return opening
  }

  async close(): Promise<void> {
    const opened = await this.#opening?.catch(() => undefined)
    await opened?.child.stop()
  }

  async *run(
    running: Pick<ToolFacts, 'name' | 'effect'>,
    input: JsonObject,
    key: string,
  ): AsyncGenerator<VendorRequest, JsonObject, never> {
    const { child } = await this.open()
    const { name: tool } = running
    const run = ++this.#last
    let step: Told = { run, tool, input, key }
    try {
      for (;;) {
        const turn = await this.#turn(child, run, step)
        if ('output' in turn) return turn.output as JsonObject
        if ('failure' in turn) throw new ToolFailure(turn.failure as unknown as Failure)
        if ('broke' in turn)
          throw new Fault('connector.failed', { tool, vendor: this.#parts.alias, problem: turn.broke })
        step = { run, answer: yield this.#checked(running, turn.request as VendorRequest) }
      }
    } finally {
      this.#waiting.delete(run)
      child.send(JSON.stringify({ run, end: true })).catch(() => undefined)
    }
  }

  /**
   * The account goes to the host of the connection and to no other. A tool that says it only reads sends nothing but GET: the weakest
   * keys may call it. Some APIs read with POST (searches, GraphQL); an administrator may believe the connector that it is so. The same
   * holds for requests that are sent together, which are reads of any tool.
   */
  #checked({ name, effect }: Pick<ToolFacts, 'name' | 'effect'>, request: VendorRequest): VendorRequest {
    const { address, alias, trusted } = this.#parts
    if (request.kind === 'many') {
      for (const each of request.requests) this.#checked({ name, effect: 'read' }, each)
      return request
    }
    const method = methodOf(request)
    if (effect === 'read' && name !== WHOAMI && !trusted && method !== 'GET')
      throw new Fault('connector.effect', { tool: name, connection: alias, method })
    if (request.kind === 'api' && new URL(request.base).origin !== new URL(address).origin)
      throw new Fault('egress.refused', { connection: alias })
    return request
  }

  async #turn(child: Child, run: number, message: Told): Promise<Turn> {
    const waiting = { ...Promise.withResolvers<Turn>(), child }
    this.#waiting.set(run, waiting)
    const timer = setTimeout(() => {
      waiting.reject(
        unreachable(this.#parts.alias, `its process did not respond for ${PATIENCE_MS / 1000} s and was stopped`),
      )
      this.#leave(child)
    }, PATIENCE_MS)
    try {
      await child.send(JSON.stringify(message)).catch((thrown: unknown) => {
        throw unreachable(this.#parts.alias, thrown instanceof Error ? thrown.message : 'its process has ended')
      })
      return await waiting.promise
    } finally {
      clearTimeout(timer)
    }
  }

  /** Ends a child; calls from now on start another. */
  #leave(child: Child): void {
    const opening = this.#opening
    void opening?.then((opened) => {
      if (opened.child === child && this.#opening === opening) this.#opening = undefined
    })
    void child.stop()
  }

  async #start(): Promise<Opened> {
    const { alias, connectionId, source, start } = this.#parts
    const args = [...FLAGS, HOST]
    const child = await start({
      ...{ name: `${connectionId} connector`, command: process.execPath, args, environment: {} },
      ...{ memoryLimit: 384 * MEGABYTE, network: 'none' },
    }).catch((thrown: unknown) => {
      throw unreachable(alias, thrown instanceof Error ? thrown.message : 'its process did not start')
    })
    const ready = Promise.withResolvers<Facts>()
    const timer = setTimeout(() => ready.reject(unreachable(alias, 'its process did not become ready')), PATIENCE_MS)
    child.onLine((line) => this.#hear(line, ready))
    child.onExit(() => {
      const gone = unreachable(alias, `its process ended: ${child.stderr().slice(-3).join(' ').slice(0, 300)}`)
      ready.reject(gone)
      for (const waiting of this.#waiting.values()) if (waiting.child === child) waiting.reject(gone)
    })
    try {
      await child.send(JSON.stringify({ source }))
      const facts = await ready.promise
      child.ready()
      return { child, facts }
    } catch (thrown) {
      void child.stop()
      throw Fault.of(thrown)
    } finally {
      clearTimeout(timer)
    }
  }

  #hear(line: string, ready: PromiseWithResolvers<Facts>): void {
    const json = jsonOf(line)
    const read = Said.safeParse(json)
    if (!read.success) {
      const run = isObject(json) ? Number(json['run']) : Number.NaN
      this.#waiting.get(run)?.reject(unreachable(this.#parts.alias, 'its process sent something that is not a request'))
      return
    }
    const message = read.data
    if ('ready' in message || 'unread' in message) {
      // The process is not trusted to have looked at its templates, which are matched here.
      const problem = 'unread' in message ? message.unread : problemOfTemplates(message.ready.resources)
      if (problem !== undefined)
        ready.reject(unreachable(this.#parts.alias, `its source could not be read: ${problem}`))
      else if ('ready' in message) ready.resolve(message.ready)
    } else this.#waiting.get(message.run)?.resolve(message)
  }
}

/** The name under which the look at the account runs, which no caller can call. */
const WHOAMI = ''

const methodOf = (request: Exclude<VendorRequest, ManyRequest>): string =>
  request.kind === 'api' ? request.operation.method : request.kind === 'signed' ? request.method : 'GET'

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
