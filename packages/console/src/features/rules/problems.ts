/** The props of every field of a rule, and the problems that the gateway reports for its path. */
import type { DraftCheck } from '@toolway/contract/admin'
import type { Draft } from './draft.ts'

export type Problems = DraftCheck['problems']

/** Returns the problem at that path of the rule or below it. */
export const problemAt = (problems: Problems, place: string): string | undefined =>
  problems.find((problem) => problem.place === place || problem.place.startsWith(`${place}/`))?.problem

export interface EditProps {
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
  readonly problems: Problems
}
