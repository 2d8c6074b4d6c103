/** What the fields of the second step are given, whatever is connected. */
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
