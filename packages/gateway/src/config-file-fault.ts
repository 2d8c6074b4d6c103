/**
 * Reports an error in a declaration file: one sentence with file, line, column and the path of the member.
 *
 * A schema reports every finding, while a user needs the one mistyped member. It never repeats a value, because a value may be a
 * secret.
 */
import { isMap, isScalar, isSeq, type Document, type LineCounter } from 'yaml'
import type { z } from 'zod'
import { ConfigFault } from './config/fault.ts'
import { nearest } from './lib/nearest-names.ts'

export type Issue = z.core.$ZodIssue
/** The path of a member, and what is wrong with it. */
export type Complain = (keys: readonly PropertyKey[], problem: string) => ConfigFault

export function createComplain(path: string, document: Document, lines: LineCounter): Complain {
  return (keys, problem) => {
    const names = keys.map(String)
    const where = names.length === 0 ? '' : ` ${wordPath(names)}`
    return new ConfigFault(`${path}${placeOf(document, lines, names)}:${where} ${problem}.`)
  }
}

const wordPath = (names: readonly string[]): string =>
  names.map((name, at) => (/^\d+$/.test(name) ? `[${name}]` : `${at === 0 ? '' : '.'}${name}`)).join('')

/** @param known every name that a member may have somewhere in the file */
export function wordIssues(complain: Complain, issues: readonly Issue[], known: readonly string[]): ConfigFault {
  const issue = likeliest(issues)
  if (issue.code !== 'unrecognized_keys') return complain(issue.path, problemOf(issue))
  const [name = ''] = issue.keys
  const near = nearest(name, known)
  const guess = near === undefined || near === name ? '' : ` (did you mean "${near}"?)`
  return complain([...issue.path, name], `is unknown${guess}`)
}

/** A name that is not known explains a missing one beside it; else what lies deepest is the most exact. */
function likeliest(issues: readonly Issue[]): Issue {
  const flat = issues.map(openUnion)
  const rank = ({ code, path }: Issue) => (code === 'unrecognized_keys' ? path.length + 1.5 : path.length)
  return flat.reduce((best, issue) => (rank(issue) > rank(best) ? issue : best))
}

/** Of a union, the branch that objects to least is the one that was meant. */
function openUnion(issue: Issue): Issue {
  if (issue.code !== 'invalid_union' || issue.message !== UNWORDED) return issue
  const branches = issue.errors.toSorted((a, b) => a.length - b.length)
  const inner = branches[0]?.map((item) => ({ ...item, path: [...issue.path, ...item.path] }))
  return inner === undefined || inner.length === 0 ? issue : likeliest(inner)
}

/** Zod's message for a union without a message of its own. */
const UNWORDED = 'Invalid input'

function problemOf(issue: Issue): string {
  if (issue.code === 'invalid_type')
    return issue.message.endsWith('received undefined')
      ? 'is missing'
      : `must be ${WORDS[issue.expected] ?? issue.expected}`
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`
  if (issue.code === 'invalid_key') return `is not a valid name: ${issue.issues[0]?.message ?? issue.message}`
  if (issue.code === 'too_small' && issue.origin === 'string') return 'must not be empty'
  return issue.message
}

const WORDS: Readonly<Record<string, string>> = {
  object: 'a mapping (name: value)',
  record: 'a mapping (name: value)',
  array: 'a list',
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
}

/** The innermost place on the path that the file has. */
function placeOf(document: Document, lines: LineCounter, path: readonly string[]): string {
  for (let length = path.length; length > 0; length--) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true)
    const start = isMap(parent)
      ? keyStart(parent, path[length - 1])
      : isSeq(parent)
        ? itemStart(parent, Number(path[length - 1]))
        : undefined
    if (start === undefined) continue
    const { line, col } = lines.linePos(start)
    return `:${line}:${col}`
  }
  return ''
}

function keyStart(map: { items: readonly { key: unknown }[] }, name: string | undefined): number | undefined {
  const pair = map.items.find(({ key }) => isScalar(key) && String(key.value) === name)
  return isScalar(pair?.key) ? pair.key.range?.[0] : undefined
}

function itemStart(list: { items: readonly unknown[] }, at: number): number | undefined {
  const item = list.items[at]
  return isScalar(item) || isMap(item) || isSeq(item) ? item.range?.[0] : undefined
}
