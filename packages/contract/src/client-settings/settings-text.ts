/**
 * Reads the text of a client's settings file: JSON with comments and trailing commas, TOML (Codex) or YAML (LibreChat, Continue, Goose).
 *
 * The format is recognized by the text, since files are given under any name. Numbers that a double would change stay texts, because
 * they end as variables or arguments. A fault has the place of the error and an excerpt without values.
 */
import { parse as parseToml, TomlError } from 'smol-toml'
import { parseDocument, YAMLParseError } from 'yaml'
import { JsonTextFault, readJsonText, repeatedKeys, type JsonNode } from './json-text.ts'
import { excerptOf } from './excerpt.ts'

/** The whole file cannot be read; the message is for the person who gave it and holds no value of the file. */
export class ImportFault extends Error {
  readonly line: number | undefined
  readonly column: number | undefined
  constructor(message: string, position?: { line: number; column: number }) {
    super(message)
    this.name = 'ImportFault'
    this.line = position?.line
    this.column = position?.column
  }
}

interface SettingsText {
  root: unknown
  format: 'json' | 'toml' | 'yaml'
  /** Paths of keys that stand twice; the other formats refuse those. */
  twice: string[]
}

/** A line of TOML: a table, or a key with an equals sign. */
const TOML = /^[ \t]*(?:\[{1,2}[\w."' -]+\]{1,2}[ \t]*(?:#.*)?$|[\w."'-]+[ \t]*=(?!=))/m
/** A line of YAML that is no TOML: a key with a colon, or an item. */
const YAML = /^[ \t]*(?:- )?[\w."'@/-]+:(?:\s|$)/m
/** A member of a JSON file without its outer braces, as documentation shows it. */
const PIECE = /^"(?:[^"\\\n]|\\.)*"\s*:\s*\{/
const JSON_START = /^[{["]|^\/[/*]/

/** Throws ImportFault. */
export function readSettingsText(written: string): SettingsText {
  const text = written.startsWith('\uFEFF') ? written.slice(1) : written
  const start = text.trimStart()
  // A table of TOML begins as a list of JSON does.
  if (TOML.test(text) && !/^(?:\{|\/[/*])/.test(start) && (TOML.exec(text)?.index ?? 0) <= firstYaml(text))
    return readToml(text)
  if (PIECE.test(start)) return readJson(`{${text.trimEnd().replace(/,$/, '')}}`)
  if (!JSON_START.test(start) && YAML.test(text)) return readYaml(text)
  return readJson(text)
}

const firstYaml = (text: string) => YAML.exec(text)?.index ?? Infinity

function readJson(text: string): SettingsText {
  try {
    const node = readJsonText(text, { relaxed: true })
    return { root: plainOf(node), format: 'json', twice: repeatedKeys(node).map((path) => path.slice(2)) }
  } catch (thrown) {
    if (!(thrown instanceof JsonTextFault)) throw thrown
    throw new ImportFault(`The file is not JSON. ${thrown.message}\n${excerptOf(text, thrown)}`, thrown)
  }
}

/** The plain value, with numbers that a double would change as texts. */
function plainOf(node: JsonNode): unknown {
  if (node.kind === 'object') return Object.fromEntries(node.members.map(({ key, value }) => [key, plainOf(value)]))
  if (node.kind === 'array') return node.items.map(plainOf)
  const value: unknown = JSON.parse(node.raw)
  return node.kind === 'number' && String(value) !== node.raw ? node.raw : value
}

function readToml(text: string): SettingsText {
  try {
    return { root: parseToml(text, { integersAsBigInt: 'asNeeded' }), format: 'toml', twice: [] }
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown
    throw brokenAt('TOML', text, thrown)
  }
}

const MOST_ALIASES = 100

function readYaml(text: string): SettingsText {
  try {
    const document = parseDocument(text, { prettyErrors: true, logLevel: 'silent', intAsBigInt: true })
    const [fault] = document.errors
    if (fault !== undefined) throw fault
    return { root: document.toJS({ maxAliasCount: MOST_ALIASES }) as unknown, format: 'yaml', twice: [] }
  } catch (thrown) {
    if (thrown instanceof YAMLParseError) {
      const [position] = thrown.linePos ?? []
      throw brokenAt(
        'YAML',
        text,
        { line: position?.line ?? 1, column: position?.col ?? 1 },
        thrown.code === 'DUPLICATE_KEY',
      )
    }
    // Aliases that unfold without end, or that lead nowhere.
    if (thrown instanceof ReferenceError)
      throw new ImportFault('The file is not YAML that can be read: check its aliases.')
    throw thrown
  }
}

/** The words of these parsers quote the text, so that only the place is taken of them. */
function brokenAt(
  format: string,
  text: string,
  { line, column }: { line: number; column: number },
  isTwice = false,
): ImportFault {
  const about = isTwice ? ': a key appears twice' : ''
  return new ImportFault(
    `The file is not ${format}. Line ${line}, column ${column}${about}.\n${excerptOf(text, { line, column })}`,
    { line, column },
  )
}
