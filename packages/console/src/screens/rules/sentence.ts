/** Describes a rule in a sentence that grows with it. The wording is in `texts`; this module only selects it. */
import { kindOf } from '@toolway/contract'
import type { Texts } from '../../texts/texts.ts'
import type { Draft, Parameters } from './draft.ts'

type Words = Texts['rules']['say']

/** @param nameOf what a scope is of, for people: the name of a key instead of its id */
export function sentenceOf(draft: Draft, say: Words, nameOf: (of: string) => string = (of) => of): string {
  const where = whereOf(draft, say, nameOf)
  return `${where}, ${whatOf(draft, say)}: ${consequenceOf(draft, say)}.`
}

export function whereOf({ scope, of, match }: Draft, say: Words, nameOf: (of: string) => string): string {
  if (scope === 'platform' && match.organizations !== undefined && match.organizations.length > 0)
    return say.where.some(say.and(match.organizations))
  return say.where[scope](of === '' ? say.open : nameOf(of))
}

/** The tools and calls that it speaks of. */
export function whatOf({ match }: Pick<Draft, 'match'>, say: Words): string {
  const { tools = ['*'], effects = [], connectors = [], categories = [], parameter, when } = match
  const all = tools.length === 0 || tools.includes('*')
  return [
    all ? say.everyTool : say.tools(tools.length > 3 ? say.others(tools.slice(0, 3), tools.length - 3) : say.or(tools)),
    ...(effects.length === 0 ? [] : [say.thatDo(say.or(effects.map((effect) => say.does[effect] ?? effect)))]),
    ...(connectors.length === 0 ? [] : [say.of(say.or(connectors.map((kind) => kindOf(kind)?.article ?? kind)))]),
    ...(categories.length === 0 ? [] : [say.category(say.or(categories))]),
    ...(parameter === undefined || parameter === '' ? [] : [say.withArgument(parameter)]),
    ...(when === undefined || when.trim() === '' ? [] : [say.when(when.trim())]),
  ].join(' ')
}

export function consequenceOf({ action, parameters }: Pick<Draft, 'action' | 'parameters'>, say: Words): string {
  const p = parameters
  const argument = textIn(p, 'parameter') || say.open
  switch (action) {
    case 'allow':
      return say.follows.allow(say.and(listIn(p, 'lifts')) || say.open)
    case 'warn':
    case 'block':
    case 'hide':
      return say.follows[action]
    case 'size':
      return sizes(p, say)
    case 'rate':
      return say.follows.rate(textIn(p, 'calls') || say.open, say.seconds(Number(p['per'] ?? 60)), say.shares[share(p)])
    case 'lock': {
      const value = p['value'] === undefined ? say.open : JSON.stringify(p['value'])
      return p['as'] === 'default' ? say.follows.default(argument, value) : say.follows.fixed(argument, value)
    }
    case 'clamp':
      return say.follows.clamp(argument, say.bounds(p['min'], p['max']), p['default'])
    case 'approve':
      return say.follows.approve(approversOf(p, say), Number(p['quorum'] ?? 1))
    case 'reject':
      return rejects(p, argument, say)
  }
}

function sizes(p: Parameters, say: Words): string {
  const result = recordIn(p, 'result')
  const said = [
    ...(p['arguments'] === undefined ? [] : [say.size.arguments(textIn(p, 'arguments'))]),
    ...(result['text'] === undefined ? [] : [say.size.text(textIn(result, 'text'))]),
    ...(result['rows'] === undefined ? [] : [say.size.rows(textIn(result, 'rows'))]),
    ...(listIn(result, 'fields').length === 0 ? [] : [say.size.fields(say.and(listIn(result, 'fields')))]),
    ...(listIn(result, 'redact').length === 0 ? [] : [say.size.redact(say.and(listIn(result, 'redact')))]),
  ]
  return said.length === 0 ? say.size.nothing : said.join(', ')
}

function rejects(p: Parameters, argument: string, say: Words): string {
  const values = Array.isArray(p['in']) ? p['in'].map((one) => JSON.stringify(one)) : []
  const bounds = say.bounds(p['min'], p['max'])
  const unless = [
    ...(bounds === '' ? [] : [bounds]),
    ...(values.length === 0 ? [] : [say.oneOf(say.or(values))]),
    ...(textIn(p, 'pattern') === '' ? [] : [say.fits(textIn(p, 'pattern'))]),
  ]
  if (unless.length > 0) return say.follows.unless(argument, unless.join(` ${say.andWord} `))
  return textIn(p, 'parameter') === '' ? say.follows.reject : say.follows.rejectWith(argument)
}

export function approversOf(p: Parameters, say: Words): string {
  const by = recordIn(p, 'by')
  const who = [
    ...listIn(by, 'roles').map((role) => say.roles[role] ?? role),
    ...listIn(by, 'members'),
    ...listIn(by, 'groups').map((group) => say.group(group)),
    ...listIn(by, 'webhooks').map((id) => say.webhook(id)),
    ...(by['self'] === true ? [say.self] : []),
  ]
  return who.length === 0 ? say.open : say.or(who)
}

const share = (p: Parameters): keyof Words['shares'] => {
  const of = p['of']
  return of === 'organization' || of === 'session' ? of : 'caller'
}

export const textIn = (p: Parameters, name: string): string => {
  const value = p[name]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
export const listIn = (p: Parameters, name: string): string[] => {
  const value = p[name]
  return Array.isArray(value) ? value.map(String) : []
}
export const recordIn = (p: Parameters, name: string): Parameters => {
  const value = p[name]
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Parameters) : {}
}
