/** The props of the fields in the second step, for every kind of connection. */
import type { CatalogEntry } from '@toolway/contract'
import type { Draft } from './draft.ts'
import type { Owner } from './keep-draft.ts'

export interface AuthFieldsProps {
  readonly draft: Draft
  readonly onChange: (change: Partial<Draft>) => void
  readonly entry: CatalogEntry | undefined
  readonly owner: Owner
  readonly onOwner: (owner: Owner) => void
}
