/**
 * The end of the wizard: makes the connection and asks its server at once, or leads the person to it. What came to nothing is taken back:
 * at once, or, where the output of its program is still to be read, when the person corrects it or leaves.
 */
import { removeConnection, type Connection } from '@toolway/contract/admin'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { call } from '../../../data/call.ts'
import { useMay, useOrganization } from '../../../data/me.ts'
import { Problem } from '../../../data/problem.ts'
import type { Draft } from './draft.ts'
import { keepDraft, testOf, type Owner } from './keep-draft.ts'

export interface Finish {
  readonly busy: boolean
  /** When what is under way began; milliseconds since 1970. */
  readonly since: number
  /** The connection created so far: its log can be followed while its server is contacted. */
  readonly made: Connection | undefined
  /** Why it could not be made, or why its server does not answer. */
  readonly failure: Problem | undefined
  /** Makes it, or changes what was made. Throws a `Problem`. */
  keep(draft: Draft, owner: Owner): Promise<Connection>
  /** The same, and asks its server. Undefined where one of both failed, or it was cancelled. */
  connect(draft: Draft, owner: Owner): Promise<Connection | undefined>
  /** Ends the wait. A connection whose server never answered is removed, which stops its program. */
  readonly cancel: () => void
  forget(): void
}

export function useFinish(): Finish {
  const organization = useOrganization()
  const isPlatform = useMay('tenant_create', 'platform')
  const queries = useQueryClient()
  const [made, setMade] = useState<Connection>()
  const [since, setSince] = useState(0)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Problem>()
  const wait = useRef<AbortController>(undefined)
  /** Its server answered once: a wait that is cancelled takes nothing away then. */
  const answered = useRef<string>(undefined)

  /** What is left of a try that failed; whoever leaves the wizard leaves nothing behind. */
  const left = useRef<() => void>(undefined)
  useEffect(() => () => left.current?.(), [])

  const keep = async (draft: Draft, owner: Owner) => {
    left.current = undefined
    let put: Connection | undefined
    try {
      return await keepDraft({ organization, made, draft, owner, isPlatform, onPut: (item) => setMade((put = item)) })
    } catch (thrown) {
      if (put !== undefined) await takeBack(put)
      throw thrown
    }
  }
  const takeBack = async (stored: Connection | undefined) => {
    if (stored === undefined || stored.id === answered.current) return
    left.current = undefined
    await call(removeConnection, { path: { organization, connection: stored.id } }).catch(() => {
      // Somebody else removed it, or the gateway is away: the list shows what is there.
    })
    setMade(undefined)
  }
  const tryOnce = async (draft: Draft, owner: Owner, signal: AbortSignal) => {
    let stored = made
    try {
      stored = await keep(draft, owner)
      signal.throwIfAborted()
      const test = await testOf(organization, stored.alias, signal)
      if (test.failure !== undefined) throw test.failure
      answered.current = stored.id
      return stored
    } catch (thrown) {
      const isRead = !signal.aborted && draft.kind === 'program' && stored !== undefined
      if (isRead) left.current = () => void takeBack(stored)
      else await takeBack(stored)
      if (signal.aborted) return undefined
      throw thrown
    }
  }
  const connect = async (draft: Draft, owner: Owner) => {
    const ending = new AbortController()
    wait.current = ending
    setSince(Date.now())
    setBusy(true)
    setFailure(undefined)
    try {
      return await tryOnce(draft, owner, ending.signal)
    } catch (thrown) {
      setFailure(Problem.of(thrown))
      return undefined
    } finally {
      await queries.invalidateQueries({ queryKey: ['connections'] })
      setBusy(false)
    }
  }
  const forget = () => {
    setMade(undefined)
    setFailure(undefined)
  }
  return { busy, since, made, failure, keep, connect, cancel: () => wait.current?.abort(), forget }
}
