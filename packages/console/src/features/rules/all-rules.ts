/**
 * Every rule that an organization has to do with, and what is done to one. A platform administrator has those of the platform that
 * are off, or speak of other organizations, as well.
 */
import { RULE_SCOPES, type RuleState } from '@toolway/contract'
import {
  addOrganizationRule,
  addPlatformRule,
  changeOrganizationRule,
  changePlatformRule,
  listOrganizationRules,
  listPlatformRules,
  removeOrganizationRule,
  removePlatformRule,
  type FullRuleChange,
  type KeptRule,
} from '@toolway/contract/admin'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../data/call.ts'
import { useMay, useOrganization } from '../../data/me.ts'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { sayDone } from '../../ui/say.tsx'
import type { inState } from './draft.ts'

const PAGE = 200

/** An organization has at most a thousand rules, so that all of them can be searched here. */
async function everyPage(ask: (offset: number) => Promise<{ items: KeptRule[]; total: number }>): Promise<KeptRule[]> {
  const first = await ask(0)
  const rest = await Promise.all(
    Array.from({ length: Math.ceil(first.total / PAGE) - 1 }, (_, page) => ask((page + 1) * PAGE)),
  )
  return [first, ...rest].flatMap(({ items }) => items)
}

async function askAll(organization: string, ofPlatform: boolean, signal: AbortSignal): Promise<KeptRule[]> {
  const [here, above] = await Promise.all([
    everyPage((offset) =>
      call(listOrganizationRules, { path: { organization }, query: { limit: PAGE, offset }, signal }),
    ),
    ofPlatform ? everyPage((offset) => call(listPlatformRules, { query: { limit: PAGE, offset }, signal })) : [],
  ])
  const own = ofPlatform ? here.filter(({ scope, id }) => scope !== 'platform' || isOfFile(id, above)) : here
  return [...above, ...own].toSorted(
    (first, other) => RULE_SCOPES.indexOf(first.scope) - RULE_SCOPES.indexOf(other.scope),
  )
}

/** Rules of the platform that a file says are in no list but the organization's. */
const isOfFile = (id: string, listed: readonly KeptRule[]): boolean => listed.every((rule) => rule.id !== id)

export function useRules() {
  const organization = useOrganization()
  const ofPlatform = useMay('policy_manage', 'platform')
  return useQuery({
    queryKey: ['rules', organization, 'every', ofPlatform],
    queryFn: ({ signal }) => askAll(organization, ofPlatform, signal),
  })
}

/** Where a rule is changed, if not here. */
export type Elsewhere = keyof typeof texts.rules.elsewhere | undefined

export function useElsewhere(): (rule: KeptRule) => Elsewhere {
  const ofPlatform = useMay('policy_manage', 'platform')
  return ({ scope, origin, id }) => {
    if (origin === 'file') return 'file'
    if (origin === 'toolset') return 'toolset'
    return scope === 'platform' && (!ofPlatform || !id.startsWith('rul_')) ? 'platform' : undefined
  }
}

type Words = ReturnType<typeof inState>

/** Changes, each of which can be taken back. */
export function useRuleChanges() {
  const organization = useOrganization()
  const queries = useQueryClient()
  const again = () => queries.invalidateQueries({ queryKey: ['rules'] })

  const add = (words: Words, force = false): Promise<KeptRule> => {
    const { scope, ...rest } = words
    const query = forcing(force)
    return scope === 'platform'
      ? call(addPlatformRule, { query, body: rest as never })
      : call(addOrganizationRule, { path: { organization }, query, body: words as never })
  }
  const change = ({ id, scope }: KeptRule, body: FullRuleChange, force = false): Promise<KeptRule> => {
    const query = forcing(force)
    return scope === 'platform'
      ? call(changePlatformRule, { path: { rule: id }, query, body })
      : call(changeOrganizationRule, { path: { organization, rule: id }, query, body })
  }
  const remove = ({ id, scope }: KeptRule): Promise<undefined> =>
    scope === 'platform'
      ? call(removePlatformRule, { path: { rule: id } })
      : call(removeOrganizationRule, { path: { organization, rule: id } })

  const t = texts.rules
  const turn = useMutation({
    mutationFn: ({ rule, state }: { rule: KeptRule; state: RuleState }) => change(rule, { state }),
    onSuccess: (_, { rule, state }) =>
      sayDone(
        t.turned[state]({ name: rule.name }),
        () => void change(rule, { state: rule.state }).then(again, sayProblem),
      ),
    onError: sayProblem,
    onSettled: again,
  })
  const erase = useMutation({
    mutationFn: remove,
    onSuccess: (_, rule) =>
      sayDone(t.removed({ name: rule.name }), () => void add(wordsOfKept(rule), true).then(again, sayProblem)),
    onError: sayProblem,
    onSettled: again,
  })
  return { add, change, turn, erase, again }
}

/** Patterns that match no known tool are accepted, too. */
const forcing = (force: boolean) => (force ? { force: 'true' as const } : {})

const wordsOfKept = ({ scope, of, name, match, action, parameters, reason, state }: KeptRule): Words =>
  ({ scope, ...(of === null ? {} : { of }), name, match, action, parameters, reason, state }) as Words
