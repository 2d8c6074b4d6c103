/** Connects one of several, by its place among them, and says how it went; what was made of it before is changed by another try, not made again. */
import { useRef } from 'react'
import type { Connection } from '@toolway/contract/admin'
import { useQueryClient } from '@tanstack/react-query'
import { useMay, useOrganization } from '../../../data/me.ts'
import { Problem } from '../../../data/problem.ts'
import type { Draft } from './draft.ts'
import { keepDraft, testOf } from './keep-draft.ts'

/** Its server asks for an account: that is no failure, it is the next step. */
const NEEDS_ACCOUNT = new Set(['upstream.needs-auth', 'connection.needs'])

export type OneOutcome =
  | { readonly at: 'connected'; readonly alias: string; readonly tools: number }
  | { readonly at: 'sign-in'; readonly alias: string }
  | { readonly at: 'failed'; readonly alias: string | undefined; readonly problem: Problem }

export function useConnectOne(): (draft: Draft, at: number) => Promise<OneOutcome> {
  const organization = useOrganization()
  const isPlatform = useMay('tenant_create', 'platform')
  const queries = useQueryClient()
  const made = useRef(new Map<number, Connection>())
  return async (draft, at) => {
    const before = made.current.get(at)
    const onPut = (stored: Connection) => void made.current.set(at, stored)
    try {
      const stored = await keepDraft({ organization, made: before, draft, owner: 'organization', isPlatform, onPut })
      const { failure, tools } = await testOf(organization, stored.alias)
      const { alias } = stored
      if (failure === undefined) return { at: 'connected', alias, tools }
      return NEEDS_ACCOUNT.has(failure.code) && stored.auth_type !== 'api_key' && draft.kind === 'remote'
        ? { at: 'sign-in', alias }
        : { at: 'failed', alias, problem: failure }
    } catch (thrown) {
      return { at: 'failed', alias: before?.alias, problem: Problem.of(thrown) }
    } finally {
      await queries.invalidateQueries({ queryKey: ['connections'] })
    }
  }
}
