/**
 * The connection that a form was begun with. While something is typed, what others change is left to the save, which says so; a form
 * in which nothing is typed begins anew with what is.
 */
import type { Connection } from '@toolway/contract/admin'
import { useEffect, useState } from 'react'

export interface Kept {
  readonly kept: Connection
  readonly setDirty: (is: boolean) => void
}

export function useKept(connection: Connection): Kept {
  const [stored, setStored] = useState(connection)
  const [dirty, setDirty] = useState(false)
  if (stored.updated_at !== connection.updated_at && !dirty) setStored(connection)
  return { kept: stored, setDirty }
}

/** In the form itself. */
export function useTellDirty(dirty: boolean, tell: Kept['setDirty']): void {
  useEffect(() => tell(dirty), [dirty, tell])
}
