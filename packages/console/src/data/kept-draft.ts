/**
 * Unsaved changes that outlive a reload of the page and an expired session: kept in this tab alone (session storage), for the user
 * and the organization, until they are saved or discarded. A draft must not contain secrets.
 */
import { useState } from 'react'
import { DRAFT_PREFIX } from './forget-drafts.ts'
import { useMe, useOrganization } from './me.ts'

interface Kept<Draft> {
  /** The saved state that was changed, in JSON: on another one the draft is not put. */
  readonly base: string
  readonly draft: Draft
}

export interface KeptDraft<Draft> {
  readonly draft: Draft
  readonly isChanged: boolean
  /** Whether it was typed before this page was loaded. */
  readonly isRestored: boolean
  readonly set: (draft: Draft) => void
  /** Also after it was saved. */
  readonly discard: () => void
}

/** @param name what it is a draft of: `rule:new`, `toolset:finance` */
export function useKeptDraft<Draft>(name: string, saved: Draft): KeptDraft<Draft> {
  const store = useDraftStore<Kept<Draft>>(name)
  const base = JSON.stringify(saved)
  const [own, setOwn] = useState(() => {
    const stored = store.read()
    return stored?.base === base ? { draft: stored.draft, isRestored: true } : undefined
  })
  const draft = own?.draft ?? saved
  const discard = () => {
    store.forget()
    setOwn(undefined)
  }
  return {
    draft,
    isChanged: own !== undefined && JSON.stringify(own.draft) !== base,
    isRestored: own?.isRestored === true,
    set(next) {
      store.write({ base, draft: next })
      setOwn({ draft: next, isRestored: own?.isRestored === true })
    },
    discard,
  }
}

/** One draft of this user in this organization. */
export function useDraftStore<Value>(name: string) {
  const { user } = useMe()
  const key = `${DRAFT_PREFIX}${user?.id ?? ''}.${useOrganization()}.${name}`
  return {
    read(): Value | undefined {
      try {
        return (JSON.parse(sessionStorage.getItem(key) ?? 'null') as Value | null) ?? undefined
      } catch {
        return undefined
      }
    },
    write(value: Value) {
      try {
        sessionStorage.setItem(key, JSON.stringify(value))
      } catch {
        // Full or switched off: the draft is held by the page alone.
      }
    },
    forget: () => sessionStorage.removeItem(key),
  }
}
