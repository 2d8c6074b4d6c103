/**
 * What follows from a rule, as the end of a sentence: "calls wait for approval by an administrator of the organization". One function
 * for each action of the contract; the words are in the catalogues (`ruleActions`). A draft may lack what it needs: an ellipsis stands
 * for it.
 */
import { recordIn, type DraftParameters, type RuleAction } from '@toolway/contract'
import { locale } from '../../texts/locale.ts'
import type { Texts } from '../../texts/texts.ts'
import { listOf, oneOf } from '../../ui/lists.ts'

type Words = Texts['ruleActions']
type Parameters = DraftParameters

const OPEN = '…'

interface Writing {
  readonly words: Words
  readonly parameters: Parameters
  readonly language: string
}

const CONSEQUENCES: Readonly<Record<RuleAction, (writing: Writing) => string>> = {
  hide: ({ words }) => words.follows.hide,
  block: ({ words }) => words.follows.block,
  warn: ({ words }) => words.follows.warn,
  allow({ words, parameters, language }) {
    const lifts = listIn(parameters, 'lifts')
    return words.follows.allow({ count: Math.max(1, lifts.length), rules: listOf(lifts, language) || OPEN })
  },
  approve({ words, parameters, language }) {
    const who = approversIn(words, recordIn(parameters, 'by'))
    return words.follows.approve({ quorum: numberIn(parameters, 'quorum') ?? 1, who: oneOf(who, language) || OPEN })
  },
  rate({ words, parameters }) {
    const { of } = parameters
    const share = words.share[of === 'organization' || of === 'session' ? of : 'caller']
    const time = durationOf(words, numberIn(parameters, 'per') ?? 60)
    const calls = numberIn(parameters, 'calls')
    return calls === undefined ? words.follows.rateOpen({ time, share }) : words.follows.rate({ calls, time, share })
  },
  clamp({ words, parameters }) {
    const argument = argumentIn(parameters)
    const bounds = boundsIn(words, parameters)
    const usual = parameters['default']
    if (usual === undefined || usual === '') return words.follows.adjusted({ argument, bounds: bounds || OPEN })
    const value = JSON.stringify(usual)
    return bounds === ''
      ? words.follows.byDefault({ argument, value })
      : words.follows.adjustedOrDefault({ argument, bounds, value })
  },
  lock({ words, parameters }) {
    const value = parameters['value'] === undefined ? OPEN : JSON.stringify(parameters['value'])
    const argument = argumentIn(parameters)
    return parameters['as'] === 'default'
      ? words.follows.byDefault({ argument, value })
      : words.follows.fixed({ argument, value })
  },
  reject({ words, parameters, language }) {
    const { in: allowed } = parameters
    const values = Array.isArray(allowed) ? allowed.map((value) => JSON.stringify(value)) : []
    const pattern = textIn(parameters, 'pattern')
    const conditions = [
      boundsIn(words, parameters),
      oneOf(values, language),
      pattern === '' ? '' : words.bounds.matches({ pattern }),
    ].filter((condition) => condition !== '')
    const argument = argumentIn(parameters)
    if (conditions.length > 0) return words.follows.unless({ argument, conditions: listOf(conditions, language) })
    return argument === OPEN ? words.follows.everyCall : words.follows.withArgument({ argument })
  },
  size({ words: { follows }, parameters, language }) {
    const result = recordIn(parameters, 'result')
    const [bytes, text, rows] = [numberIn(parameters, 'arguments'), numberIn(result, 'text'), numberIn(result, 'rows')]
    const [fields, redact] = [listIn(result, 'fields'), listIn(result, 'redact')]
    const limits = [
      ...(bytes === undefined ? [] : [follows.argumentsLimit({ bytes })]),
      ...(text === undefined ? [] : [follows.textLimit({ bytes: text })]),
      ...(rows === undefined ? [] : [follows.rowsLimit({ rows })]),
      ...(fields.length === 0 ? [] : [follows.fields({ fields: listOf(fields, language) })]),
      ...(redact.length === 0 ? [] : [follows.redact({ count: redact.length, fields: listOf(redact, language) })]),
    ]
    return limits.length === 0 ? follows.noLimit : limits.join(', ')
  },
}

/** @param language of the lists in it */
export function consequenceOf(
  { action, parameters }: { readonly action: RuleAction; readonly parameters: Parameters },
  words: Words,
  language: string = locale,
): string {
  return CONSEQUENCES[action]({ words, parameters, language })
}

const textIn = (parameters: Parameters, name: string): string => {
  const value = parameters[name]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
const numberIn = (parameters: Parameters, name: string): number | undefined => {
  const text = textIn(parameters, name)
  return text === '' || Number.isNaN(Number(text)) ? undefined : Number(text)
}
const listIn = (parameters: Parameters, name: string): string[] => {
  const value = parameters[name]
  return Array.isArray(value) ? value.map(String) : []
}
const argumentIn = (parameters: Parameters): string => textIn(parameters, 'parameter') || OPEN

/** Empty where nothing is bounded. */
function boundsIn({ bounds }: Words, { min, max }: Parameters): string {
  if (min === undefined && max === undefined) return ''
  if (min === undefined) return bounds.atMost({ max: String(max) })
  return max === undefined
    ? bounds.atLeast({ min: String(min) })
    : bounds.between({ min: String(min), max: String(max) })
}

function approversIn({ approvers }: Words, by: Parameters): string[] {
  const roles: Readonly<Record<string, unknown>> = approvers
  const nameOf = (role: string) => (typeof roles[role] === 'string' ? roles[role] : role)
  return [
    ...listIn(by, 'roles').map(nameOf),
    ...listIn(by, 'members'),
    ...listIn(by, 'groups').map((group) => approvers.group({ group })),
    ...listIn(by, 'webhooks').map((id) => approvers.webhook({ id })),
    ...(by['self'] === true ? [approvers.self] : []),
  ]
}

const UNITS = [
  ['days', 86_400],
  ['hours', 3600],
  ['minutes', 60],
] as const

function durationOf({ time }: Words, seconds: number): string {
  const [unit, length] = UNITS.find(([, value]) => seconds % value === 0) ?? (['seconds', 1] as const)
  return time[unit]({ count: seconds / length })
}
