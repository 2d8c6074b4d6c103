/**
 * The process of somebody's own connector. It is told the source of the connector, loads it, and runs its tools: requests go out as
 * lines, and answers come back as lines. The connector has the kit and Zod and nothing else: no module of Node, no network, no files, no
 * environment. The gateway sends its requests, and keeps the account to itself.
 */
import { registerHooks } from 'node:module'
import { createInterface } from 'node:readline'
import { format } from 'node:util'
import { runInNewContext } from 'node:vm'
import { definitionOf, scopesOf, ToolFailure, type Json, type Run, type Tool, type Vendor } from '@toolway/connectors'
import * as kit from '@toolway/connectors/kit'
import { z } from 'zod'
import type { Facts, Told, ToolFacts } from './messages.ts'

const own = process
const SOURCE = 'toolway:connector.ts'
const MODULES: Readonly<Record<string, object>> = { '@toolway/connectors/kit': kit, zod: { z } }
const PLACE = Symbol.for('toolway.connector-modules')
/** Globals that stay, besides those of the language: the kit needs them, and none of them leads to a file or a socket. */
const KEPT = ['URL', 'URLSearchParams', 'TextEncoder', 'TextDecoder', 'atob', 'btoa', 'console']
/** Setters on these would be called by Node's own code, with sockets in hand. */
const PROTOTYPES = [Object, Array, Function, Promise, Error].map(({ prototype }) => prototype as object)

const sendMessage = (message: object) => void own.stdout.write(`${JSON.stringify(message)}\n`)
const textOf = (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown)).slice(0, 1_000)

/** Nothing of a stream may be had through it: the class of a stream is a way to the network. */
const logWords = (...words: readonly unknown[]) => void own.stderr.write(`${format(...words)}\n`)
const CONSOLE = { log: logWords, info: logWords, warn: logWords, error: logWords, debug: logWords }

const runs = new Map<number, Run<Json>>()
let vendor: Vendor | undefined

async function load(source: string): Promise<void> {
  confine()
  registerHooks({
    resolve(specifier) {
      if (specifier === SOURCE || Object.hasOwn(MODULES, specifier))
        return { url: specifier === SOURCE ? SOURCE : `toolway:module/${specifier}`, shortCircuit: true }
      throw new Error(`A connector imports @toolway/connectors/kit and zod, and nothing else: ${specifier}`)
    },
    load(url) {
      if (url === SOURCE) return { format: 'module-typescript', source, shortCircuit: true }
      const name = url.slice('toolway:module/'.length)
      const names = Object.keys(MODULES[name] ?? {}).filter((value) => value !== 'default')
      const from = `globalThis[Symbol.for('toolway.connector-modules')][${JSON.stringify(name)}]`
      return { format: 'module', source: `export const { ${names.join(', ')} } = ${from}`, shortCircuit: true }
    },
  })
  const { default: found } = (await import(SOURCE)) as { default?: Partial<Vendor> }
  if (found?.tools === undefined || found.whoami === undefined)
    throw new Error('The default export of a connector is vendor({ … }).')
  vendor = found as Vendor
  sendMessage({ ready: factsOf(vendor) })
}

/** `Response` alone would load the HTTP client and leave it among the globals: a list of what stays is safe, one of what goes is not. */
function confine(): void {
  const stay = new Set<PropertyKey>([
    ...(runInNewContext('Object.getOwnPropertyNames(globalThis)') as string[]),
    ...KEPT,
  ])
  for (const key of Reflect.ownKeys(globalThis)) if (!stay.has(key)) Reflect.deleteProperty(globalThis, key)
  Object.assign(globalThis, { [PLACE]: MODULES, console: CONSOLE })
  for (const prototype of PROTOTYPES) Object.preventExtensions(prototype)
}

function factsOf(item: Vendor): Facts {
  const toolFacts = (name: string, tool: Tool): ToolFacts => ({
    name,
    effect: tool.effect,
    description: tool.description,
    definition: definitionOf(name, tool),
    scopes: [...scopesOf(item, tool)],
    ...(tool.unsupported === undefined ? {} : { unsupported: tool.unsupported }),
  })
  return {
    id: item.id,
    auth: item.auth,
    resources: item.resources,
    tools: [...item.tools].map(([name, tool]) => toolFacts(name, tool)),
    whoami: toolFacts(`${item.id}_whoami`, item.whoami),
  }
}

function takeMessage(message: Told): void {
  if ('source' in message)
    return void load(message.source).catch((thrown: unknown) => sendMessage({ unread: textOf(thrown) }))
  const { run } = message
  if ('end' in message) return void runs.delete(run)
  step(run, () => {
    if ('answer' in message) return runs.get(run)?.next(message.answer as never)
    const tool = message.tool === '' ? vendor?.whoami : vendor?.tools.get(message.tool)
    const begun = tool?.run(message.input as Json, message.key)
    if (begun !== undefined) runs.set(run, begun)
    return begun?.next()
  })
}

function step(run: number, next: () => ReturnType<Run<Json>['next']> | undefined): void {
  try {
    const done = next()
    if (done === undefined) return sendMessage({ run, broke: 'There is no such run' })
    if (done.done === true) runs.delete(run)
    sendMessage(done.done === true ? { run, output: done.value } : { run, request: done.value })
  } catch (thrown) {
    runs.delete(run)
    sendMessage(thrown instanceof ToolFailure ? { run, failure: thrown.failure } : { run, broke: textOf(thrown) })
  }
}

createInterface({ input: own.stdin }).on('line', (line) => takeMessage(JSON.parse(line) as Told))
