/** YAML or JSON of a person's own, read strictly: what does not fit is said with file, line, column and the path of the member. */
import { readFile } from 'node:fs/promises'
import { LineCounter, parseDocument } from 'yaml'
import type { z } from 'zod'
import { ConfigFault } from '../../config.ts'
import { createComplain, wordIssues } from '../../config-file-fault.ts'
import { readInput } from '../terminal/input.ts'
import { CommandFault, EXIT } from '../terminal/output.ts'

export interface Reading<Shape extends z.ZodType> {
  readonly shape: Shape
  /** What a value is made into before it is looked at: a list alone may stand for an object with that list. */
  prepare?(value: unknown): unknown
  /** Every name that a member may have: what a misspelt one may have meant. */
  readonly known: readonly string[]
}

/** `-` is standard input. Throws CommandFault, and ConfigFault with the place. */
export async function readYamlFile<Shape extends z.ZodType>(
  path: string,
  { shape, prepare = (value) => value, known }: Reading<Shape>,
): Promise<z.output<Shape>> {
  const text = path === '-' ? await readInput() : await readText(path)
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true })
  const [broken] = document.errors
  if (broken !== undefined) {
    const { line, col } = lines.linePos(broken.pos[0])
    throw new ConfigFault(`${path}:${line}:${col}: this is neither YAML nor JSON: ${broken.message.split('\n')[0]}.`)
  }
  let value: unknown
  try {
    value = document.toJS()
  } catch (thrown) {
    throw new ConfigFault(`${path}: an alias cannot be followed: ${(thrown as Error).message}.`)
  }
  const parsed = shape.safeParse(prepare(value))
  if (parsed.success) return parsed.data
  throw wordIssues(createComplain(path, document, lines), parsed.error.issues, known)
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException
    throw new CommandFault(`${path} cannot be read (${code}): check the path and its permissions.`, EXIT.usage)
  }
}
