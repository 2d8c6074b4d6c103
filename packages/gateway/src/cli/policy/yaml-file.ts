/** YAML or JSON of a person's own, read strictly: what does not fit is said with file, line, column and the path of the member. */
import { readFile } from 'node:fs/promises'
import { stringify } from 'yaml'
import type { z } from 'zod'
import { wordIssues } from '../../config-file-fault.ts'
import { readYaml } from '../../config-file-yaml.ts'
import { readInput } from '../terminal/input.ts'
import { CommandFault, EXIT } from '../terminal/output.ts'

export interface Reading<Shape extends z.ZodType> {
  readonly shape: Shape
  /** Converts a value before it is validated: a list alone may stand for an object with that list. */
  prepare?(value: unknown): unknown
  /** Every name that a member may have: what a misspelt one may have meant. */
  readonly known: readonly string[]
}

/** `-` is standard input. Throws CommandFault, and ConfigFault with the place. */
export async function readYamlFile<Shape extends z.ZodType>(
  path: string,
  { shape, prepare = (value) => value, known }: Reading<Shape>,
): Promise<z.output<Shape>> {
  const text = await readText(path)
  const { value, complain } = readYaml(path, text, 'neither YAML nor JSON')
  const parsed = shape.safeParse(prepare(value))
  if (parsed.success) return parsed.data
  throw wordIssues(complain, parsed.error.issues, known)
}

/** Without a line break at its end. */
export const yamlOf = (value: unknown): string => stringify(value).trimEnd()

/** `-` is standard input. */
export async function readText(path: string): Promise<string> {
  if (path === '-') return readInput()
  try {
    return await readFile(path, 'utf8')
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException
    throw new CommandFault(`${path} cannot be read (${code}): check the path and its permissions.`, EXIT.usage)
  }
}
