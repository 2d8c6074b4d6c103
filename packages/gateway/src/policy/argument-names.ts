/**
 * Refuses arguments whose name some servers read as another one that a rule names.
 *
 * Servers in Go (`encoding/json`), .NET and others match member names without regard to case, and take the last of several. A rule
 * about `amount` would be passed by `Amount`. Where a rule names any argument, a member is ambiguous whose name equals, folded, a
 * name that a rule mentions at that place or a property of the tool's schema there, without being that name exactly. Where a rule names
 * an argument, a name with a control character or half a surrogate pair is ambiguous too, as readers cut or drop those. Lists are
 * looked into as if their elements stood in their place. Pure.
 */
import type { Rule } from '@toolway/contract'
import { isObject, type Json, type JsonObject } from '@toolway/protocol'
import { pathOf, pointerOf, type Path } from '../lib/parameter-path.ts'
import { namesIn } from './condition-names.ts'

export interface AmbiguousName {
  /** JSON Pointer. */
  readonly place: string
  /** The name that it may be read as. */
  readonly name: string
  readonly rule: Rule
}

export type NameCheck = (args: JsonObject) => AmbiguousName | undefined

const PLAIN = /^[\x21-\x7e]*$/
/** Readers cut a name there, or drop them: what is left can be any name. */
const UNREADABLE = /[\p{Cc}\p{Cs}]/u

/**
 * Two names that a server may take for one: without case, compatibility forms and characters that are not shown (UAX #31,
 * NFKC_Casefold), and without blanks and control characters, at which some readers cut a name.
 */
export const foldName = (name: string): string =>
  PLAIN.test(name)
    ? name.toLowerCase()
    : name
        .normalize('NFKC')
        .replaceAll(/[\p{Default_Ignorable_Code_Point}\p{White_Space}\p{Cc}]/gu, '')
        .toLowerCase()
        .toUpperCase()
        .toLowerCase()
        .normalize('NFKC')

/** Names that rules mention at one level of the arguments. */
interface Level {
  readonly exact: Map<string, Level>
  /** By folded name: each way in which rules write it. */
  readonly folded: Map<string, string[]>
}

const ELEMENTS = '*'
const newLevel = (): Level => ({ exact: new Map(), folded: new Map() })

function addName(level: Level, name: string): Level {
  const existing = level.exact.get(name)
  if (existing !== undefined) return existing
  const deeper = newLevel()
  level.exact.set(name, deeper)
  const folded = foldName(name)
  level.folded.set(folded, [...(level.folded.get(folded) ?? []), name])
  return deeper
}

/** Undefined where none of the rules names an argument. `schema` is the tool's input schema. */
export function createNameCheck(rules: readonly Rule[], schema: unknown): NameCheck | undefined {
  const named = rules.filter((rule) => mentions(rule))
  const [first] = named
  if (first === undefined) return undefined
  const root = newLevel()
  const unplaced = newLevel()
  const owner = new Map<string, Rule>()
  for (const rule of named) {
    const { paths, unplacedNames } = mentionsOf(rule)
    for (const path of paths) path.filter((name) => name !== ELEMENTS).reduce(addName, root)
    for (const name of unplacedNames) addName(unplaced, name)
    for (const name of [...paths.flat(), ...unplacedNames]) if (!owner.has(name)) owner.set(name, rule)
  }
  return (args) => {
    const found = findIn(args, { named: root, unplaced, schema }, [])
    return found && { ...found, rule: owner.get(found.name) ?? first }
  }
}

interface NameLevel {
  readonly named: Level | undefined
  readonly unplaced: Level
  readonly schema: unknown
}
type Keys = readonly (string | number)[]

function findIn(value: Json, at: NameLevel, keys: Keys): Omit<AmbiguousName, 'rule'> | undefined {
  if (Array.isArray(value)) {
    const inner = { ...at, schema: isObject(at.schema) ? (at.schema['items'] ?? at.schema) : undefined }
    for (const [index, element] of value.entries()) {
      const found = findIn(element, inner, [...keys, index])
      if (found !== undefined) return found
    }
    return undefined
  }
  if (!isObject(value)) return undefined
  const own = propertiesOf(at.schema)
  const names = Object.keys(value)
  if (at.named === undefined && at.unplaced.exact.size === 0 && own.exact.size === 0) return undefined
  for (const name of names) {
    const other = mistakenFor(name, names, at, own)
    if (other !== undefined) return { place: pointerOf([...keys, name]), name: other }
    const inner = { ...at, named: at.named?.exact.get(name), schema: own.exact.get(name) }
    const found = findIn(value[name] as Json, inner, [...keys, name])
    if (found !== undefined) return found
  }
  return undefined
}

function mistakenFor(
  name: string,
  all: readonly string[],
  { named, unplaced }: NameLevel,
  own: Properties,
): string | undefined {
  if (UNREADABLE.test(name)) return cutName(name, named, unplaced)
  const folded = foldName(name)
  const written = [...(named?.folded.get(folded) ?? []), ...(unplaced.folded.get(folded) ?? [])]
  // A rule for each of two spellings would still leave it to the server which of them counts.
  if (written.includes(name)) return written.find((other) => other !== name && all.includes(other))
  if (written[0] !== undefined) return written[0]
  return own.exact.has(name) ? undefined : own.folded.get(folded)
}

/** A name that the rules speak of at this level; a server may read the other one as it. */
const cutName = (name: string, named: Level | undefined, unplaced: Level): string | undefined =>
  [named, unplaced].flatMap((level) => [...(level?.exact.keys() ?? [])]).find((other) => other !== name)

const MOST_PARTS = 100

interface Properties {
  readonly exact: ReadonlyMap<string, unknown>
  /** By folded name. */
  readonly folded: ReadonlyMap<string, string>
}

const NO_PROPERTIES: Properties = { exact: new Map(), folded: new Map() }
const known = new WeakMap<object, Properties>()

/** The properties that a schema describes at its top, those of the parts that it is put together of too. */
function propertiesOf(schema: unknown): Properties {
  if (!isObject(schema)) return NO_PROPERTIES
  const properties = known.get(schema)
  if (properties !== undefined) return properties
  const found = new Map<string, unknown>()
  const open: unknown[] = [schema]
  for (let read = 0; open.length > 0 && read < MOST_PARTS; read += 1) {
    const schemaPart = open.pop()
    if (!isObject(schemaPart)) continue
    if (isObject(schemaPart['properties']))
      for (const [name, value] of Object.entries(schemaPart['properties'])) found.set(name, value)
    for (const word of ['allOf', 'anyOf', 'oneOf']) if (Array.isArray(schemaPart[word])) open.push(...schemaPart[word])
  }
  const made = { exact: found, folded: new Map(Array.from(found.keys(), (name) => [foldName(name), name])) }
  known.set(schema, made)
  return made
}

export const mentions = (rule: Rule): boolean => {
  const { paths, unplacedNames } = mentionsOf(rule)
  return paths.length > 0 || unplacedNames.length > 0
}

const read = new WeakMap<Rule, { readonly paths: readonly Path[]; readonly unplacedNames: readonly string[] }>()

/** Every place that a rule names: its own parameter, the one whose presence it asks for, and those in its condition. */
function mentionsOf(rule: Rule): { readonly paths: readonly Path[]; readonly unplacedNames: readonly string[] } {
  const mentions = read.get(rule)
  if (mentions !== undefined) return mentions
  const { match, parameters } = rule
  const own = 'parameter' in parameters && parameters.parameter !== undefined ? [pathOf(parameters.parameter)] : []
  const present = match.parameter === undefined ? [] : [pathOf(match.parameter)]
  const condition = match.when === undefined ? undefined : namesIn(match.when)
  const made = {
    paths: [...own, ...present, ...(condition?.paths ?? [])],
    unplacedNames: condition?.unplacedNames ?? [],
  }
  read.set(rule, made)
  return made
}
