/** One request at a door, and its answer as far as two answers can be compared. */
import { setTimeout as pause } from 'node:timers/promises'
import { request as send } from 'undici'
import { inLanes } from '../e2e/peers/lanes.ts'

export interface Bearer {
  /** The Authorization header; undefined for nobody. */
  readonly authorization: string | undefined
}

export interface Asked {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The fault that it is, by its code in the table of faults. */
  readonly fault: string | undefined
}

/** How much of a stream is read: what is there at once. Milliseconds. */
const LOOK = 50

/** Faults of a busy machine, before anything is done: a key that memory does not know has a second and a half to be looked up. */
const BUSY = /^(?:database\.unavailable|gateway\.not-ready)$/
/** Milliseconds before each of the few tries that follow. */
const PAUSES = [100, 1_000, 3_000, 10_000]

export async function request(address: string, caller: Bearer | undefined, asked: Asked): Promise<Answered> {
  let answered = await requestOnce(address, caller, asked)
  for (const milliseconds of PAUSES) {
    if (answered.status !== 503 || !BUSY.test(answered.fault ?? '')) break
    await pause(milliseconds)
    answered = await requestOnce(address, caller, asked)
  }
  return answered
}

/** Not by fetch, whose streams and objects take more processor time than the gateway's own work: there are tens of thousands of these. */
async function requestOnce(address: string, caller: Bearer | undefined, asked: Asked): Promise<Answered> {
  const { method, path, body, headers = {} } = asked
  const leaving = new AbortController()
  const answer = await send(`${address}${path}`, {
    method,
    signal: leaving.signal,
    headers: {
      ...(caller?.authorization === undefined ? {} : { authorization: caller.authorization }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const received = Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, String(value)]))
  const isStream = received['content-type']?.startsWith('text/event-stream') === true
  const text = isStream ? await beginningOf(answer.body, leaving) : await answer.body.text()
  return { status: answer.statusCode, headers: received, text, fault: faultOf(text) }
}

async function beginningOf(body: AsyncIterable<Uint8Array>, leaving: AbortController): Promise<string> {
  const timer = setTimeout(() => leaving.abort(), LOOK)
  let text = ''
  try {
    for await (const chunk of body) text += Buffer.from(chunk).toString()
  } catch (thrown) {
    if (!leaving.signal.aborted) throw thrown
  }
  clearTimeout(timer)
  return text
}

function faultOf(text: string): string | undefined {
  const found = /"fault":"([\w.-]+)"|"urn:toolway:fault:([\w.-]+)"/.exec(text)
  return found?.[1] ?? found?.[2]
}

/** Of these a stranger may see that they are there, and their values differ by the moment. */
const OF_THE_MOMENT = /^(date|x-correlation-id|retry-after|(x-)?ratelimit.*|content-length)$/

/** Returns the parts that two equivalent answers must have in common; ids of the request itself are masked. */
export const sameOf = ({ status, headers, text }: Answered, ...own: readonly string[]) => ({
  status,
  headers: Object.entries(headers)
    .map(([name, value]) => (OF_THE_MOMENT.test(name) ? name : `${name}: ${value}`))
    .sort(),
  text: own
    .filter((id) => id !== '')
    .reduce((rest, id) => rest.replaceAll(id, 'ID'), text.replace(/"correlation_id":"[^"]*"/g, '')),
})

/** Asked at a time: the gateway looks up no more unknown keys than these. */
const BATCH = 4

/** Do the work for each, a few at a time. */
export const inBatches = async <Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> =>
  void (await inLanes(BATCH, items, work))
