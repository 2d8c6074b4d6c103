/** Arguments that a toolset fixes: rules of its own that lock one argument of one tool, and nothing else. */
import type { RuleWords, ToolsetSettings } from '@toolway/contract'

type Lock = Extract<RuleWords, { action: 'lock' }>
export type Fixing = Lock['parameters']['as']
export interface Locked {
  readonly as: Fixing
  readonly value: Lock['parameters']['value']
}

const pathOf = (argument: string): string => argument.replaceAll(/[\\.]/g, String.raw`\$&`)

const isOf =
  (tool: string, argument?: string) =>
  (rule: RuleWords): rule is Lock => {
    if (rule.action !== 'lock') return false
    const { tools, ...more } = rule.match
    const plain = Object.values(more).every((part) => part === undefined)
    return (
      plain &&
      tools.length === 1 &&
      tools[0] === tool &&
      (argument === undefined || rule.parameters.parameter === pathOf(argument))
    )
  }

export const lockOf = ({ rules = [] }: ToolsetSettings, tool: string, argument: string): Locked | undefined =>
  rules.find(isOf(tool, argument))?.parameters

export const countLocks = ({ rules = [] }: ToolsetSettings, tool: string): number => rules.filter(isOf(tool)).length

/** Without `locked` it is the client's again. */
export function withLock(
  settings: ToolsetSettings,
  { tool, argument, reason }: { readonly tool: string; readonly argument: string; readonly reason: string },
  locked: Locked | undefined,
): ToolsetSettings {
  const { rules = [], ...rest } = settings
  const found = rules.findIndex(isOf(tool, argument))
  const others = rules.filter((_, at) => at !== found)
  const named = rules[found]?.name ?? freeName(others, tool, argument)
  const rule: Lock | undefined = locked && {
    name: named,
    match: { tools: [tool] },
    action: 'lock',
    parameters: { parameter: pathOf(argument), ...locked },
    reason: rules[found]?.reason ?? reason,
    state: 'on',
  }
  const next = rule === undefined ? others : found === -1 ? [...others, rule] : rules.with(found, rule)
  return next.length === 0 ? rest : { ...rest, rules: next }
}

/** As rules are named: up to 64 characters of a few kinds. */
function freeName(rules: readonly RuleWords[], tool: string, argument: string): string {
  const plain = `fix-${tool}-${argument}`.toLowerCase().replaceAll(/[^a-z0-9._-]+/g, '-')
  const base = plain.slice(0, 58).replace(/[._-]+$/, '')
  const taken = new Set(rules.map(({ name }) => name))
  for (let at = 1; ; at++) {
    const name = at === 1 ? base : `${base}-${at}`
    if (!taken.has(name)) return name
  }
}

/** Reads a typed text as a value of the type; returns undefined where it is none. */
export function readValue(text: string, type: string): Locked['value'] | undefined {
  if (type === 'string') return text
  try {
    const value = JSON.parse(text) as Locked['value']
    return fits(value, type) ? value : undefined
  } catch {
    return type === 'any' || /\bstring\b/.test(type) ? text : undefined
  }
}

function fits(value: Locked['value'], type: string): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'number' || type === 'boolean') return typeof value === type
  if (type.startsWith('array')) return Array.isArray(value)
  return true
}

export const writeValue = (value: Locked['value']): string =>
  typeof value === 'string' ? value : JSON.stringify(value)
