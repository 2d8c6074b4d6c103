/**
 * The gateway's log as it is written: the last lines, then each as it comes.
 *
 * The stream is opened first and the last lines are asked for once it is open, so that none falls between; what comes twice is
 * left out. Of very many lines the oldest are let go.
 */
import { followLogs, listRecentLogs, showMe, type LEVELS_OF_LOG, type LogLine } from '@toolway/contract/admin'
import { useEffect, useState } from 'react'
import { addressOf, call } from './call.ts'

export interface LogAsked {
  readonly level?: (typeof LEVELS_OF_LOG)[number] | undefined
  readonly connector_id?: string | undefined
}

export interface FollowedLog {
  readonly lines: readonly LogLine[]
  readonly state: 'waiting' | 'live' | 'broken'
  /** Lines are missing, since this browser did not keep up. */
  readonly dropped: boolean
}

const MOST = 500
const FIRST = 200
/** Milliseconds until a broken stream is opened again. */
const WAIT_MS = 3_000

const NOTHING: FollowedLog = { lines: [], state: 'waiting', dropped: false }

/** @param paused what comes meanwhile is not shown, and asked for again afterwards */
export function useLog({ level, connector_id }: LogAsked, paused: boolean): FollowedLog {
  const [log, setLog] = useState(NOTHING)
  useEffect(() => {
    if (paused) return undefined
    return follow({ level, connector_id }, setLog)
  }, [level, connector_id, paused])
  return log
}

type Change = (log: FollowedLog) => FollowedLog

function follow(request: LogAsked, set: (change: Change) => void): () => void {
  const address = addressOf(followLogs.path, {}, { ...request })
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let over = false

  const add = (more: readonly LogLine[], before: readonly LogLine[]) => {
    const known = new Set(before.map((line) => JSON.stringify(line)))
    return [...before, ...more.filter((line) => !known.has(JSON.stringify(line)))].slice(-MOST)
  }
  const last = async () => {
    const { items } = await call(listRecentLogs, { query: { ...request, count: FIRST } })
    // Lines that arrived in the meantime stay after the fetched ones.
    if (!over) set((log) => ({ ...log, state: 'live', lines: add(log.lines, items) }))
  }
  const again = async () => {
    source?.close()
    if (over) return
    set((log) => ({ ...log, state: 'broken' }))
    // An EventSource hides why it failed: a question that renews an expired sign-in finds out.
    await call(showMe).catch(() => undefined)
    if (!over) timer = setTimeout(open, WAIT_MS)
  }
  const open = () => {
    source = new EventSource(address)
    source.addEventListener('open', () => {
      set((log) => ({ ...log, lines: [] }))
      last().catch(again)
    })
    source.addEventListener('log', ({ data }: MessageEvent<string>) =>
      set((log) => ({ ...log, lines: [...log.lines, JSON.parse(data) as LogLine].slice(-MOST) })),
    )
    source.addEventListener('dropped', () => set((log) => ({ ...log, dropped: true })))
    source.addEventListener('error', () => void again())
  }
  set(() => NOTHING)
  open()
  return () => {
    over = true
    clearTimeout(timer)
    source?.close()
  }
}
