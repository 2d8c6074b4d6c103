/** Calls that a user saved to make them again: in this browser, for the user and the organization, without arguments that look secret. */
import { useState } from 'react'
import { useMe, useOrganization } from '../../data/me.ts'

export interface SavedCall {
  /** As in places.ts. */
  readonly place: string
  readonly tool: string
  /** JSON; undefined where there are none, or they may not be kept. */
  readonly args: string | undefined
  readonly era: 'modern' | 'legacy'
}

const MOST = 50

const same = (call: SavedCall, other: SavedCall): boolean =>
  call.place === other.place && call.tool === other.tool && call.args === other.args && call.era === other.era

/** The newest first; a call that is saved again moves to the top. */
export const withCall = (saved: readonly SavedCall[], call: SavedCall): SavedCall[] =>
  [call, ...saved.filter((savedCall) => !same(savedCall, call))].slice(0, MOST)

export function useSavedCalls() {
  const { user } = useMe()
  const key = `toolway.calls.${user?.id ?? ''}.${useOrganization()}`
  const [saved, setSaved] = useState(() => readCalls(localStorage.getItem(key)))
  const keep = (next: SavedCall[]) => {
    setSaved(next)
    if (next.length === 0) localStorage.removeItem(key)
    else localStorage.setItem(key, JSON.stringify(next))
  }
  return {
    saved,
    save: (call: SavedCall) => keep(withCall(saved, call)),
    remove: (call: SavedCall) => keep(saved.filter((savedCall) => !same(savedCall, call))),
    restore: keep,
  }
}

/** What is not readable is as if nothing was saved. */
export function readCalls(text: string | null): SavedCall[] {
  try {
    const read: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(read) ? read.filter(isCall) : []
  } catch {
    return []
  }
}

function isCall(value: unknown): value is SavedCall {
  if (typeof value !== 'object' || value === null) return false
  const { place, tool, args, era } = value as Record<string, unknown>
  return (
    typeof place === 'string' &&
    typeof tool === 'string' &&
    (args === undefined || typeof args === 'string') &&
    (era === 'modern' || era === 'legacy')
  )
}
