/** Checks a rule that is being written: its problems, and the tools that it would match as it stands. Nothing is stored. */
import type { Effect, EffectSource, RuleScope, RuleWords } from '@toolway/contract'
import type { DraftCheck } from '@toolway/contract/admin'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import { problemsOf, readWords, type Known } from '../../policy/stored/check-rule.ts'
import { readRule } from '../../policy/matching.ts'
import { withSupplied } from '../../toolsets/supplied-toolsets.ts'
import { EVERYTHING, selectionOf } from '../../toolsets/toolsets.ts'
import { allToolsOf } from '../../snapshot/tools-of.ts'
import { nextTurn } from '../../lib/next-turn.ts'

export interface CheckedDraft {
  readonly scope: RuleScope
  readonly of: string | undefined
  /** As somebody is writing it. */
  readonly words: unknown
}

type DraftSnapshot = Pick<Snapshot, 'organization' | 'connections' | 'catalogs' | 'toolsets' | 'states'>

/** Tools that are named at most; the others are counted. */
const MOST_NAMED = 200
/** Tools that are compared in one slice: others are served between them. */
const COMPARED_AT_ONCE = 5_000

export async function checkDraft(
  snapshot: DraftSnapshot,
  { scope, of, words: written }: CheckedDraft,
  known: readonly Known[],
) {
  const read = readWords(written)
  const found = 'words' in read ? problemsOf(read.words, scope, known) : read.problems
  const problems = found.map(({ place, problem }) => ({ place: place === '' ? '/' : place, problem }))
  return {
    problems,
    tools: 'words' in read ? await speaksOf(snapshot, read.words, scope, of) : null,
  } satisfies DraftCheck
}

async function speaksOf(snapshot: DraftSnapshot, words: RuleWords, scope: RuleScope, of: string | undefined) {
  const { mismatch } = readRule({ ...words, id: 'draft', scope, of })
  const endpoint = { organization: snapshot.organization.slug, toolset: scope === 'toolset' ? (of ?? '') : '' }
  const toolset = withSupplied(snapshot.toolsets).find(({ slug }) => slug === endpoint.toolset)
  const selection = toolset === undefined ? EVERYTHING : selectionOf(toolset.settings)
  const tools = await allToolsOf(snapshot)
  const fittingTool = (name: string) => {
    const tool = tools.joined(name)
    if (tool === undefined || mismatch(tool.facts, endpoint) !== undefined) return []
    const { connection, joined, effect, effectFrom } = tool.facts
    const isThere = selection.connection(connection) && selection.tool(connection, joined)
    return isThere ? [{ name, effect: effect as Effect, effect_from: effectFrom as EffectSource }] : []
  }
  const fitting: ReturnType<typeof fittingTool> = []
  for (let at = 0; at < tools.names.length; at += COMPARED_AT_ONCE) {
    if (at > 0) await nextTurn()
    fitting.push(...tools.names.slice(at, at + COMPARED_AT_ONCE).flatMap(fittingTool))
  }
  return { fitting: fitting.length, all: tools.names.length, named: fitting.slice(0, MOST_NAMED) }
}
