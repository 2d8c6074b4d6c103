/**
 * Describes a tool's change in words: texts, inputs that were added, removed or became required, the output, and the annotations.
 * Pure. Nothing is left out silently: a change without a wording of its own is named as it is.
 */
import { visibleText } from '@toolway/contract'
import { texts } from '../../../texts/texts.ts'

const t = texts.connection.changes.words

export interface ChangeInWords {
  readonly what: string
  readonly before?: string | undefined
  readonly after?: string | undefined
}

type Definition = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Definition =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const same = (first: unknown, other: unknown): boolean => written(first) === written(other)

/** In one order of names, so that another order of the same is no change. */
function written(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(written).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'undefined'
  const names = Object.keys(value).toSorted()
  return `{${names.map((name) => `${JSON.stringify(name)}:${written(value[name])}`).join(',')}}`
}

const shown = (value: unknown): string | undefined =>
  value === undefined ? undefined : visibleText(typeof value === 'string' ? value : JSON.stringify(value))

/** @param before null for a tool that is new */
export function whatChanged(before: Definition | null, after: Definition): ChangeInWords[] {
  const was = before ?? {}
  const names = [...new Set([...Object.keys(was), ...Object.keys(after)])].filter((name) => name !== 'name')
  return names.flatMap((name): ChangeInWords[] => {
    if (same(was[name], after[name])) return []
    if (name === 'inputSchema') return inputsIn(was[name], after[name])
    if (name === 'outputSchema') return [{ what: t.answer }]
    if (name === 'annotations') return annotationsIn(was[name], after[name])
    const what = name === 'description' ? t.description : name === 'title' ? t.title : t.field({ name })
    return [{ what, before: shown(was[name]), after: shown(after[name]) }]
  })
}

function inputsIn(before: unknown, after: unknown): ChangeInWords[] {
  const [was, is] = [propertiesOf(before), propertiesOf(after)]
  const [needed, needs] = [requiredOf(before), requiredOf(after)]
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])]
  const changes = names.flatMap((name): ChangeInWords[] => {
    if (!(name in was)) return [{ what: needs.has(name) ? t.inputNeeded({ name }) : t.inputNew({ name }) }]
    if (!(name in is)) return [{ what: t.inputGone({ name }) }]
    const changeInWords: ChangeInWords[] =
      needed.has(name) === needs.has(name)
        ? []
        : [{ what: needs.has(name) ? t.nowRequired({ name }) : t.nowOptional({ name }) }]
    return same(was[name], is[name])
      ? changeInWords
      : [...changeInWords, { what: t.inputChanged({ name }), before: shown(was[name]), after: shown(is[name]) }]
  })
  // Without a change in the properties, the change is elsewhere in the schema.
  return changes.length > 0 ? changes : [{ what: t.inputs }]
}

function propertiesOf(schema: unknown): Definition {
  const properties = isObject(schema) ? schema['properties'] : undefined
  return isObject(properties) ? properties : {}
}

function requiredOf(schema: unknown): ReadonlySet<unknown> {
  const required = isObject(schema) ? schema['required'] : undefined
  return new Set(Array.isArray(required) ? required : [])
}

function annotationsIn(before: unknown, after: unknown): ChangeInWords[] {
  const [was, is] = [isObject(before) ? before : {}, isObject(after) ? after : {}]
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .filter((name) => !same(was[name], is[name]))
    .map((name) => ({
      what: t.annotation({ name }),
      before: shown(was[name]) ?? t.nothing,
      after: shown(is[name]) ?? t.nothing,
    }))
}

interface Stretch<Line> {
  readonly from: number
  readonly lines: readonly Line[]
  readonly folded: boolean
}

/** Lines of what stayed that are shown around a change. */
const AROUND = 2

/** In stretches: what changed with a little around it, and what stayed, which may be folded. */
export function foldLines<Line extends { readonly kind: string }>(lines: readonly Line[]): Stretch<Line>[] {
  const near = (at: number) =>
    lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ kind }) => kind !== 'same')
  const stretches: { from: number; lines: Line[]; folded: boolean }[] = []
  for (const [at, line] of lines.entries()) {
    const folded = !near(at)
    const last = stretches.at(-1)
    if (last?.folded === folded) last.lines.push(line)
    else stretches.push({ from: at, lines: [line], folded })
  }
  // A button in place of one line saves nothing.
  return stretches.map((stretch) => (stretch.lines.length < 2 ? { ...stretch, folded: false } : stretch))
}
