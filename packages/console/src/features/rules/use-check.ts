/** The gateway's check of a rule draft: its problems, and the tools that it matches. */
import { checkDraftRule } from '@toolway/contract/admin'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { texts } from '../../texts/texts.ts'
import { nameFor, placeOf, wordsOf, type Draft } from './draft.ts'
import type { Problems } from './problems.ts'

const PAUSE_MS = 250

/** @param tried whether it was to be kept: only then what is missing is wrong */
export function useCheck(draft: Draft, tried: boolean) {
  const organization = useOrganization()
  const queries = useQueryClient()
  const [settled] = useDebouncedValue(draft, PAUSE_MS)
  const words = wordsOf({ ...settled, name: settled.name || nameFor(settled) || 'rule', reason: settled.reason || '-' })
  const check = useQuery(ask('rules', checkDraftRule, { path: { organization }, body: { ...placeOf(settled), words } }))
  const t = texts.rules.edit
  const found: Problems = [...ownProblems(draft), ...(check.data?.problems ?? [])]
  const isMissing = ({ problem }: Problems[number]) => problem.includes(MISSING) || problem === UNFIT
  const problems = found.filter((item) => tried || !isMissing(item))
  const isAnswered = check.data !== undefined && !check.isPlaceholderData && settled === draft
  return {
    problems: problems.map((problem) => (isMissing(problem) ? { ...problem, problem: t.needed } : problem)),
    /** Whether it can be kept as it stands. */
    checkNow: async () => {
      const { problems: wrong } = await queries.fetchQuery(checkOf(organization, draft))
      return wrong.length === 0 && ownProblems(draft).length === 0
    },
    /** Whether it can be tried: its reason is for later. */
    isReadable: isAnswered && check.data?.problems.length === 0 && !needsOf(draft),
    tools: check.data?.tools ?? undefined,
    error: check.error,
  }
}

function checkOf(organization: string, draft: Draft) {
  const words = wordsOf({ ...draft, name: draft.name || nameFor(draft) || 'rule', reason: draft.reason || '-' })
  return ask('rules', checkDraftRule, { path: { organization }, body: { ...placeOf(draft), words } })
}

const ownProblems = (draft: Draft): Problems => [
  ...(draft.reason.trim() === '' ? [{ place: '/reason', problem: MISSING }] : []),
  ...(needsOf(draft) ? [{ place: '/of', problem: MISSING }] : []),
]

/** As the library for shapes says that nothing is there. */
const MISSING = 'received undefined'
const UNFIT = 'Invalid input'

const needsOf = ({ scope, of }: Draft): boolean => scope !== 'platform' && scope !== 'organization' && of === ''
