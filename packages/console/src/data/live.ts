/**
 * What happens in the organization, as it happens: one stream for the whole console, and no polling.
 *
 * An event makes what it is about be asked again. After a break all of it is asked again, since what was missed is not told.
 */
import { showMe, type GatewayEvent } from '@toolway/contract/admin'
import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call } from './call.ts'
import type { Noun } from './queries.ts'

type Kind = GatewayEvent['type']

/** What may be another after an event of each kind. */
const CONCERNS: Readonly<Record<Kind, readonly Noun[]>> = {
  integrations_changed: ['connections', 'tools', 'toolsets', 'accounts', 'stats', 'runtime'],
  alert: ['alerts', 'stats'],
  approvals_changed: ['approvals'],
  records_changed: ['records', 'stats'],
  client_seen: ['keys', 'grants'],
}

/** What happens often is asked about once in so many milliseconds, at the end of them too. */
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

export type LiveState = 'connecting' | 'live' | 'broken'

/** Called once, by the frame. */
export function useLive(address: string): LiveState {
  const queries = useQueryClient()
  const [state, setState] = useState<LiveState>('connecting')
  useEffect(() => follow(address, queries, setState), [address, queries])
  return state
}

function follow(address: string, queries: QueryClient, say: (state: LiveState) => void): () => void {
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let [wait] = WAITS as readonly [number, number]
  let wasLive = false
  const later = breathe((noun) => void queries.invalidateQueries({ queryKey: [noun] }))
  let over = false

  const take = (message: MessageEvent<string>) => {
    const event = JSON.parse(message.data) as GatewayEvent
    later.tell(CONCERNS[event.type])
    for (const listen of listeners) listen(event)
  }
  const open = () => {
    if (over) return
    source = new EventSource(address)
    for (const kind of Object.keys(CONCERNS)) source.addEventListener(kind, take as (event: Event) => void)
    source.addEventListener('open', () => {
      ;[wait] = WAITS
      say('live')
      if (wasLive) void queries.invalidateQueries()
      wasLive = true
    })
    source.addEventListener('error', () => void again())
  }
  /** An EventSource hides why it failed: a question that renews an expired sign-in finds out. */
  const again = async () => {
    source?.close()
    if (over) return
    say('broken')
    await call(showMe).catch(() => undefined)
    timer = setTimeout(open, wait)
    wait = Math.min(wait * 2, WAITS[1])
  }
  open()
  return () => {
    over = true
    later.stop()
    clearTimeout(timer)
    source?.close()
  }
}

/** Says each noun at once, and then no more than once in a breath, however often it is told. */
export function breathe(say: (noun: Noun) => void, breath = BREATH) {
  const waiting = new Map<Noun, { again: boolean; timer: ReturnType<typeof setTimeout> }>()
  const tellOne = (noun: Noun): void => {
    const held = waiting.get(noun)
    if (held !== undefined) {
      held.again = true
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
