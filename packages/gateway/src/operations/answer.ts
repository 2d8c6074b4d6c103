/**
 * The answer of an operation by its shape, so that no field leaks by mistake. In a list, an item that does not fit is left out and
 * counted (`unreadable`), so that one bad row does not take its neighbours along; anything else that does not fit fails.
 */
import type { Operation } from '@toolway/contract/admin'
import type { Log } from '../lib/log.ts'
import { Unreadable } from '../lib/unreadable-rows.ts'

type Answering = Pick<Operation, 'id' | 'answer'>

interface List {
  readonly items: readonly unknown[]
}

const isList = (input: unknown): input is List =>
  typeof input === 'object' && input !== null && 'items' in input && Array.isArray(input.items)

/** Throws a ZodError where the answer does not fit and is no list, or is one that cannot say what it leaves out. */
export function answerOf({ id: operation, answer }: Answering, output: unknown, log?: Pick<Log, 'warn'>): unknown {
  const read = answer.safeParse(output)
  if (read.success) return read.data
  const bad = new Map<number, string>()
  for (const { path, message } of read.error.issues) {
    const [list, at, ...place] = path
    if (!isList(output) || list !== 'items' || typeof at !== 'number') throw read.error
    bad.set(at, bad.get(at) ?? `/${place.map(String).join('/')} ${message}`)
  }
  if (!isList(output)) throw read.error
  const items = output.items.filter((_, at) => !bad.has(at))
  const shown = answer.parse({ ...output, items, unreadable: bad.size })
  for (const [at, problem] of bad)
    log?.warn({ operation, ...factsOf(output.items[at], problem) }, 'an item is unreadable')
  return shown
}

/** The members that name an item, in this order. */
const NAMES = ['id', 'client_id', 'slug', 'alias', 'name']

/** Values stay out of the log: an item may have secrets in places where its shape has none. */
function factsOf(item: unknown, problem: string) {
  if (item instanceof Unreadable) return { err: item.unreadable }
  const facts = new Map(typeof item === 'object' && item !== null ? Object.entries(item) : [])
  const name = NAMES.map((member) => facts.get(member) as unknown).find((value) => typeof value === 'string')
  return { ...(name === undefined ? {} : { item: name }), problem }
}
