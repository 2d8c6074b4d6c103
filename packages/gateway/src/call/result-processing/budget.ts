/** How much of a result may reach its caller: the strictest of all that is said about it (ledger U-16). */
import type { Rule } from '@toolway/contract'
import { pathOf, type Path } from '../../lib/parameter-path.ts'
import { UNFIT } from '../../upstreams/contract/contract-tool.ts'

export interface Budget {
  /** Bytes of text. */
  readonly text: number
  /** Whether a rule says so, and not only the installation: then it holds for structured content too. */
  readonly ruled: boolean
  readonly rows: number | undefined
  /** Each leaves only its members; a member has to be left by all of them. */
  readonly selections: readonly (readonly Path[])[]
  readonly redact: readonly Path[]
}

export const plainBudget = (text: number): Budget => ({
  text,
  ruled: false,
  rows: undefined,
  selections: [],
  redact: [],
})

export function budgetOf(sizes: readonly Rule<'size'>[], limit: number): Budget {
  const said = sizes.flatMap(({ parameters: { result } }) => (result === undefined ? [] : [result]))
  if (said.length === 0) return plainBudget(limit)
  const texts = said.flatMap(({ text }) => text ?? [])
  const rows = said.flatMap(({ rows }) => rows ?? [])
  return {
    text: Math.min(limit, ...texts),
    ruled: texts.length > 0,
    rows: rows.length === 0 ? undefined : Math.min(...rows),
    selections: said.flatMap(({ fields }) => (fields === undefined ? [] : [fields.map(pathOf)])),
    redact: said.flatMap(({ redact = [] }) => redact.flatMap((path) => anywhere(pathOf(path)))),
  }
}

/**
 * The same structured content stands by itself or, as no object before older clients and as no fit for its contract, in a member of
 * ours: no revision and no form of an answer is a way to read what is to be unreadable.
 */
const ENVELOPES: readonly Path[] = [[], ['result'], [UNFIT, 'value'], ['result', UNFIT, 'value']]
const anywhere = (path: Path): Path[] => ENVELOPES.map((envelope) => [...envelope, ...path])
