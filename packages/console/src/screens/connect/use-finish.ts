/** The end of the wizard: makes the connection and asks its server at once, or leads the person to it. A correction changes what was made. */
import type { Connection } from '@toolway/contract/admin'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useMay, useOrganization } from '../../data/me.ts'
import { Problem } from '../../data/problem.ts'
import type { Draft } from './draft.ts'
import { keepDraft, testOf, type Owner } from './keep-draft.ts'

export interface Finish {
  readonly busy: boolean
  /** Why it could not be made, or why its server does not answer. */
  readonly failure: Problem | undefined
  /** Makes it, or changes what was made. Throws a `Problem`. */
  keep(draft: Draft, owner: Owner): Promise<Connection>
  /** The same, and asks its server. Undefined where one of both failed. */
  connect(draft: Draft, owner: Owner): Promise<Connection | undefined>
  forget(): void
}

export function useFinish(): Finish {
  const organization = useOrganization()
  const isPlatform = useMay('tenant_create', 'platform')
  const queries = useQueryClient()
  const [made, setMade] = useState<Connection>()
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Problem>()
  const settled = () => queries.invalidateQueries({ queryKey: ['connections'] })

  const keep = async (draft: Draft, owner: Owner) => {
    const kept = await keepDraft({ organization, made, draft, owner, isPlatform })
    setMade(kept)
    return kept
  }
  const connect = async (draft: Draft, owner: Owner) => {
    setBusy(true)
    setFailure(undefined)
    try {
      const kept = await keep(draft, owner)
      const told = await testOf(organization, kept.alias)
      if (told.failure !== undefined) throw told.failure
      return kept
    } catch (thrown) {
      setFailure(Problem.of(thrown))
      return undefined
    } finally {
      await settled()
      setBusy(false)
    }
  }
  const forget = () => {
    setMade(undefined)
    setFailure(undefined)
  }
  return { busy, failure, keep, connect, forget }
}
