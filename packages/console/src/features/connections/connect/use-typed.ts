/** What was typed of a new connection. A reload keeps it, except for secrets, while its steps are under way. */
import { useEffect, useState } from 'react'
import { useDraftStore } from '../../../data/kept-draft.ts'
import { withoutSecrets, type Draft } from './draft.ts'

/** @param entry of the catalog, as the address names it; what was typed for another one is not taken */
export function useTyped(isUnderWay: boolean, entry: string) {
  const store = useDraftStore<Draft>('connection:new')
  const [typed, setTyped] = useState(() => {
    const draft = isUnderWay ? store.read() : undefined
    return (draft?.entry ?? '') === entry ? draft : undefined
  })
  useEffect(() => {
    const safe = typed === undefined ? undefined : withoutSecrets(typed)
    if (safe === undefined) store.forget()
    else store.write(safe)
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the store is the same as long as the page is
  }, [typed])
  return { typed, setTyped, forget: store.forget }
}
