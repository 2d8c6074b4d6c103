/**
 * The difference between two definitions of a tool, for people to read: canonical order, line by line, with the changed words
 * marked and nothing hidden. Pure; the definitions themselves are shown beside it, so that a decision does not depend on how the
 * difference is drawn.
 */
import { visible } from '@toolway/contract'
import { isObject, membersOf, type Json, type JsonObject } from '@toolway/protocol'
import { alike, type Step } from './compare-texts.ts'

export interface DifferenceLine {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
  /** Where in the text the words stand that changed, in UTF-16 code units: from, and up to. */
  readonly marks: [number, number][]
}

/** `before` is undefined for a tool that is new. */
export function differenceOf(before: JsonObject | undefined, after: JsonObject): DifferenceLine[] {
  const steps = alike(before === undefined ? [] : linesOf(before), linesOf(after))
  return markWords(steps)
}

/** Indented JSON; a text of several lines stands as several, so that a change of one is a change of one. */
export function linesOf(value: Json): string[] {
  return linesOfValue(value, '', '').map(visible)
}

function linesOfValue(value: Json, indent: string, before: string): string[] {
  if (typeof value === 'string') return writtenText(value, indent, before)
  const list = Array.isArray(value)
  if (!list && !isObject(value)) return [`${indent}${before}${JSON.stringify(value)}`]
  const inner = list
    ? value.flatMap((item) => linesOfValue(item, `${indent}  `, ''))
    : membersOf(value).flatMap(([name, item]) => linesOfValue(item, `${indent}  `, `${JSON.stringify(name)}: `))
  const [open, close] = list ? ['[', ']'] : ['{', '}']
  if (inner.length === 0) return [`${indent}${before}${open}${close}`]
  return [`${indent}${before}${open}`, ...inner, `${indent}${close}`]
}

function writtenText(text: string, indent: string, before: string): string[] {
  const parts = text.split(/(?<=\n)/)
  if (parts.length <= 1) return [`${indent}${before}${JSON.stringify(text)}`]
  return [`${indent}${before.trimEnd()}`, ...parts.map((part) => `${indent}  ${JSON.stringify(part)}`)]
}

/** A line that went and the line that came in its place are compared word by word. */
function markWords(steps: readonly Step[]): DifferenceLine[] {
  const lines: DifferenceLine[] = []
  for (let at = 0; at < steps.length;) {
    const removed = runOf(steps, at, 'removed')
    const added = runOf(steps, at + removed.length, 'added')
    if (removed.length + added.length === 0) lines.push({ kind: 'same', text: steps[at++]?.text ?? '', marks: [] })
    else {
      const partners = pair(removed, added)
      const before = removed.map((text, index): DifferenceLine => {
        const partner = added[partners.get(index) ?? -1]
        return { kind: 'removed', text, marks: partner === undefined ? [] : marksOf(text, partner)[0] }
      })
      const after = added.map((text, index): DifferenceLine => {
        const partner = removed[removed.findIndex((_, other) => partners.get(other) === index)]
        return { kind: 'added', text, marks: partner === undefined ? [] : marksOf(partner, text)[1] }
      })
      lines.push(...before, ...after)
      at += removed.length + added.length
    }
  }
  return lines
}

/** Of so many lines that changed together words are marked; more of them nobody reads word by word. */
const MAX_MARKED = 50

/**
 * Pairs removed lines with added lines: the next one of the same member; where as many were removed as added, the one at the same
 * position.
 */
function pair(removed: readonly string[], added: readonly string[]): Map<number, number> {
  if (removed.length > MAX_MARKED || added.length > MAX_MARKED) return new Map()
  const memberOf = (text: string) => /^\s*"(?:[^"\\]|\\.)*":/.exec(text)?.[0]
  const taken = new Set<number>()
  const pairs = new Map<number, number>()
  for (const [index, text] of removed.entries()) {
    const member = memberOf(text)
    const same = added.findIndex((value, at) => member !== undefined && !taken.has(at) && memberOf(value) === member)
    const found = same === -1 && removed.length === added.length && !taken.has(index) ? index : same
    if (found === -1) continue
    taken.add(found)
    pairs.set(index, found)
  }
  return pairs
}

function runOf(steps: readonly Step[], from: number, kind: Step['kind']): string[] {
  const texts: string[] = []
  for (let at = from; steps[at]?.kind === kind; at++) texts.push(steps[at]?.text ?? '')
  return texts
}

type Marks = [number, number][]

function marksOf(removed: string, added: string): [Marks, Marks] {
  const steps = alike(wordsOf(removed), wordsOf(added))
  return [placesOf(steps, 'removed'), placesOf(steps, 'added')]
}

const wordsOf = (text: string): string[] => text.match(/⟨[^⟩]*⟩|[\p{L}\p{N}_]+|\s+|./gu) ?? []

function placesOf(steps: readonly Step[], kind: 'removed' | 'added'): Marks {
  const places: Marks = []
  let at = 0
  for (const { kind: stepKind, text } of steps) {
    if (stepKind !== kind && stepKind !== 'same') continue
    const last = places.at(-1)
    if (stepKind === kind && last !== undefined && last[1] === at) last[1] = at + text.length
    else if (stepKind === kind) places.push([at, at + text.length])
    at += text.length
  }
  return places
}
