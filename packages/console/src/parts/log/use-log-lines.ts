/** The lines of a connection's log: those that are there, and each as it comes, on a stream that is open while somebody looks. */
import { useQueryClient } from '@tanstack/react-query'
import {
  followConnectionLog,
  listConnectionLog,
  showMe,
  type Connection,
  type ConnectionLogLine,
} from '@toolway/contract/admin'
import { useEffect, useState } from 'react'
import { addressOf, call } from '../../data/call.ts'
import { useOrganization } from '../../data/me.ts'
import { Problem } from '../../data/problem.ts'

const MOST = 500
/** Milliseconds until a broken stream is opened again. */
const PAUSE_MS = 3_000
/** Milliseconds in which lines that tell of a change make the state be asked again once. */
const SETTLE_MS = 400

export interface LogLines {
  readonly lines: readonly ConnectionLogLine[] | undefined
  readonly failure: Problem | undefined
  readonly live: boolean
}

const NOTHING: LogLines = { lines: undefined, failure: undefined, live: false }

export function useLogLines(connection: Pick<Connection, 'id'>): LogLines {
  const organization = useOrganization()
  const queries = useQueryClient()
  const [lines, setLines] = useState(NOTHING)
  useEffect(() => {
    let settling: ReturnType<typeof setTimeout> | undefined
    const end = follow({ organization, connection: connection.id }, (change) => {
      setLines(change)
      // Program output often means that the state of the program has changed: the runtime state is refetched once the output
      // pauses.
      clearTimeout(settling)
      settling = setTimeout(() => void queries.invalidateQueries({ queryKey: ['runtime'] }), SETTLE_MS)
    })
    return () => {
      end()
      clearTimeout(settling)
    }
  }, [organization, connection.id, queries])
  return lines
}

type Change = (before: LogLines) => LogLines

function follow(path: { organization: string; connection: string }, tell: (change: Change) => void): () => void {
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let over = false

  // The stream first: a line between the two is then on both, and shown once.
  const look = async () => {
    try {
      const { items } = await call(listConnectionLog, { path })
      if (!over) tell(({ lines = [] }) => ({ lines: joined(items, lines), failure: undefined, live: true }))
    } catch (thrown) {
      if (!over) tell((before) => ({ ...before, failure: Problem.of(thrown), live: false }))
    }
  }
  const again = () => {
    source?.close()
    if (over) return
    tell((before) => ({ ...before, live: false }))
    timer = setTimeout(() => {
      // An EventSource hides why it failed: a question renews a sign-in that has run out.
      void call(showMe)
        .catch(() => undefined)
        .then(open)
    }, PAUSE_MS)
  }
  const open = () => {
    if (over) return
    source = new EventSource(addressOf(followConnectionLog.path, path))
    source.addEventListener('open', () => void look())
    source.addEventListener('log', ({ data }: MessageEvent<string>) => {
      const line = JSON.parse(data) as ConnectionLogLine
      tell((before) => ({ ...before, lines: joined(before.lines ?? [], [line]) }))
    })
    source.addEventListener('dropped', again)
    source.addEventListener('error', again)
  }
  open()
  return () => {
    over = true
    clearTimeout(timer)
    source?.close()
  }
}

const keyOf = ({ timestamp, source, message, request_id: request }: ConnectionLogLine) =>
  `${timestamp} ${source} ${request ?? ''} ${message}`

function joined(some: readonly ConnectionLogLine[], more: readonly ConnectionLogLine[]): ConnectionLogLine[] {
  const known = new Set(some.map(keyOf))
  return [...some, ...more.filter((line) => !known.has(keyOf(line)))].slice(-MOST)
}
