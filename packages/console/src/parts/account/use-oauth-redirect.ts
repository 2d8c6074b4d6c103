/**
 * Lets a person connect an account of a connection at its vendor: in a window of its own, or in this one where the browser opens none.
 *
 * It says where they are, and what went wrong on the way. That an account is there is told by the live stream, as every change is.
 */
import { departForAccount, linkConnection } from '@toolway/contract/admin'
import { useCallback, useRef, useState } from 'react'
import { call } from '../../data/call.ts'
import { openDetails } from '../../data/failure-details.ts'
import { openAwayWindow, useArrivals, type Arrival } from '../../data/oauth-redirect.ts'
import { useMay, useOrganization } from '../../data/me.ts'
import { Problem } from '../../data/problem.ts'

/** No client is registered at the authorization server yet: a console page asks an administrator for one. */
const NO_CLIENT = 'authority.client'

export interface OAuthRedirectTexts {
  /** Absent: the organization's for who administers connections, else one's own. */
  readonly owner?: 'member' | 'organization'
  /** One of several accounts. */
  readonly account?: string
  /** The account that is connected anew; absent: a page asks before one that works is replaced. */
  readonly replaces?: string
}

export interface OAuthRedirect {
  /** `away`: the person is at the vendor. */
  readonly state: 'here' | 'leaving' | 'away'
  /** Why it came to nothing, from here or from the vendor. */
  readonly failure: Problem | undefined
  /** In the handler of a click. */
  depart(words?: OAuthRedirectTexts, first?: Prepare): void
  /** They are back, or gave up. */
  end(): void
}

/** A connection as the way there names it, and as the way back does. */
export interface Destined {
  readonly alias: string
  readonly id: string
}

/** Runs first, while the window is already open; resolves with the destination. */
type Prepare = () => Promise<Destined>

/** @param destined undefined where `first` says it */
export function useOAuthRedirect(destined: Destined | undefined): OAuthRedirect {
  const organization = useOrganization()
  const mayShare = useMay('connector_update')
  const [state, setState] = useState<OAuthRedirect['state']>('here')
  const [failure, setFailure] = useState<Problem>()
  const goal = useRef<Destined>(undefined)

  useArrivals(
    useCallback(
      (arrival: Arrival) => {
        if (state !== 'away') return false
        if ('connected' in arrival && arrival.connected !== goal.current?.id) return false
        setState('here')
        if ('error' in arrival) void refusalOf(arrival).then(setFailure)
        return true
      },
      [state],
    ),
  )

  const depart = (words: OAuthRedirectTexts = {}, first?: Prepare) => {
    const away = openAwayWindow()
    setState('leaving')
    setFailure(undefined)
    const leave = async () => {
      goal.current = first === undefined ? destined : await first()
      if (goal.current === undefined) throw new Error('Nobody said where to.')
      const path = { organization, connection: goal.current.alias }
      away.go(await addressOf(path, words, mayShare))
      setState('away')
    }
    leave().catch((thrown: unknown) => {
      away.close()
      setState('here')
      setFailure(Problem.of(thrown))
    })
  }
  const end = () => {
    setState('here')
    setFailure(undefined)
  }
  return { state, failure, depart, end }
}

async function addressOf(
  path: { organization: string; connection: string },
  words: OAuthRedirectTexts,
  mayShare: boolean,
): Promise<string> {
  try {
    return (await call(departForAccount, { path, query: { ...words } })).url
  } catch (thrown) {
    if (Problem.of(thrown).code !== NO_CLIENT) throw thrown
    const owner = words.owner ?? (mayShare ? 'organization' : 'member')
    return (await call(linkConnection, { path, body: { ...words, owner } })).url
  }
}

async function refusalOf({ error, why, details }: Extract<Arrival, { error: string }>): Promise<Problem> {
  const message = (await openDetails(details)) ?? error
  return new Problem({ message, code: why ?? error, phase: 'open', asked: 'connecting an account' })
}
