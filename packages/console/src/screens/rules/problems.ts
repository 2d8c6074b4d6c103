/** What every field of a rule is given, and the problems that the gateway names at its place. */
import type { DraftCheck } from '@toolway/contract/admin'
import type { Draft } from './draft.ts'

export type Problems = DraftCheck['problems']

/** What is wrong at that place of the rule or within it. */
export const problemAt = (problems: Problems, place: string): string | undefined =>
  problems.find((one) => one.place === place || one.place.startsWith(`${place}/`))?.problem

export interface EditProps {
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
  readonly problems: Problems
}
