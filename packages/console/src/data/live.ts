/**
 * Live events of the organization: one stream for the whole console, and no polling.
 *
 * An event causes a refetch of its subject. Whenever the stream opens everything is refetched, since missed events are not repeated.
 */
import { showMe, type GatewayEvent } from '@toolway/contract/admin'
import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { runInOneTab } from './one-tab.ts'
import { untilItAnswers } from './load-surely.ts'
import { call } from './call.ts'
import { Problem } from './problem.ts'
import type { Noun } from './queries.ts'

type Kind = GatewayEvent['type']

/** The nouns that are refetched after an event of each kind. */
const CONCERNS: Readonly<Record<Kind, readonly Noun[]>> = {
  integrations_changed: ['connections', 'tools', 'toolsets', 'accounts', 'stats', 'runtime'],
  alert: ['alerts', 'stats'],
  approvals_changed: ['approvals'],
  records_changed: ['records', 'stats'],
  client_seen: ['clients', 'keys', 'grants'],
}

/** Milliseconds. Frequent events cause one refetch in each such interval, including one at its end. */
const BREATH = 2_000

/** Milliseconds until a broken stream is opened again; doubled up to the second number. */
const WAITS = [1_000, 30_000] as const

const listeners = new Set<(event: GatewayEvent) => void>()

/** Every event as it came, for who wants more than fresh answers. */
export function useEvents(listen: (event: GatewayEvent) => void): void {
  useEffect(() => {
    listeners.add(listen)
    return () => void listeners.delete(listen)
  }, [listen])
}

/** `broken`: the stream ended; `away`: and the gateway does not answer either. */
export type LiveState = 'connecting' | 'live' | 'broken' | 'away'

/** Called once, by the frame; without an address there is nothing to follow. */
export function useLive(address: string | undefined): LiveState {
  const queries = useQueryClient()
  const [state, setState] = useState<LiveState>('connecting')
  useEffect(() => (address === undefined ? undefined : follow(address, queries, setState)), [address, queries])
  return state
}

/**
 * A browser opens six connections to a gateway without TLS, all tabs together: so one tab holds the stream, and tells the others.
 * When it is closed, the next one does.
 */
function follow(address: string, queries: QueryClient, say: (state: LiveState) => void): () => void {
  const over = new AbortController()
  const later = breathe((noun) => void queries.invalidateQueries({ queryKey: [noun] }))
  const handleMessage = (message: LiveMessage) => {
    if ('event' in message) {
      later.tell(CONCERNS[message.event.type])
      for (const listen of listeners) listen(message.event)
      return
    }
    say(message.state)
    // Answers from before the stream opened may be out of date, the first time too.
    if (message.state === 'live') void queries.invalidateQueries()
  }
  const channel = new BroadcastChannel(`toolway-live ${address}`)
  channel.addEventListener('message', ({ data }: MessageEvent<LiveMessage>) => handleMessage(data))
  const tell = (message: LiveMessage) => {
    handleMessage(message)
    // eslint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target: it reaches this origin alone
    channel.postMessage(message)
  }
  void runInOneTab(`toolway-live ${address}`, () => hold(address, tell, over.signal), over.signal)
  return () => {
    over.abort()
    later.stop()
    channel.close()
  }
}

type LiveMessage = { readonly event: GatewayEvent } | { readonly state: LiveState }

/** Until the signal: the stream, and after a break another one. */
function hold(address: string, tell: (message: LiveMessage) => void, over: AbortSignal): Promise<void> {
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let wait: number = WAITS[0]
  const open = () => {
    if (over.aborted) return
    source = new EventSource(address)
    for (const kind of Object.keys(CONCERNS))
      source.addEventListener(kind, ({ data }: MessageEvent<string>) =>
        tell({ event: JSON.parse(data) as GatewayEvent }),
      )
    source.addEventListener('open', () => {
      wait = WAITS[0]
      tell({ state: 'live' })
    })
    source.addEventListener('error', () => void again())
  }
  /** An EventSource hides why it failed: a question that renews an expired sign-in finds out. */
  const again = async () => {
    source?.close()
    if (over.aborted) return
    tell({ state: 'broken' })
    const away = await call(showMe).then(
      () => false,
      (thrown: unknown) => Problem.of(thrown).status === 0,
    )
    if (away && !over.aborted) {
      tell({ state: 'away' })
      await untilItAnswers()
    }
    if (over.aborted) return
    timer = setTimeout(open, wait)
    wait = Math.min(wait * 2, WAITS[1])
  }
  // Given up between being next and being let in.
  if (over.aborted) return Promise.resolve()
  open()
  return new Promise((resolve) =>
    over.addEventListener('abort', () => {
      clearTimeout(timer)
      source?.close()
      resolve()
    }),
  )
}

/** Says each noun at once, and then no more than once in a breath, however often it is told. */
export function breathe(say: (noun: Noun) => void, breath = BREATH) {
  const waiting = new Map<Noun, { again: boolean; timer: ReturnType<typeof setTimeout> }>()
  const tellOne = (noun: Noun): void => {
    const current = waiting.get(noun)
    if (current !== undefined) {
      current.again = true
      return
    }
    say(noun)
    const timer = setTimeout(() => {
      const { again = false } = waiting.get(noun) ?? {}
      waiting.delete(noun)
      if (again) tellOne(noun)
    }, breath)
    waiting.set(noun, { again: false, timer })
  }
  return {
    tell: (nouns: readonly Noun[]) => nouns.forEach(tellOne),
    stop: () => waiting.forEach(({ timer }) => clearTimeout(timer)),
  }
}
