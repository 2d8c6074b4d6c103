/** A file of rules for `toolway policy add`: YAML or JSON, one rule, a list of them, or `rules:` with a list. Read strictly. */
import { readFile } from 'node:fs/promises'
import { RuleWords } from '@toolway/contract'
import { NewOrganizationRule } from '@toolway/contract/admin'
import { LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import { ConfigFault } from '../../config.ts'
import { createComplain, wordIssues } from '../../config-file-fault.ts'
import { RULE_MEMBERS } from '../../config-file-rules.ts'
import { readInput } from '../terminal/input.ts'
import { CommandFault, EXIT } from '../terminal/output.ts'

export type FileRule = RuleWords & Partial<Pick<NewOrganizationRule, 'scope' | 'of'>>

/** `-` is standard input. Throws with the file, and line and column of what does not fit. */
export async function readRuleFile(path: string, platform: boolean): Promise<FileRule[]> {
  const text = path === '-' ? await readInput() : await readText(path)
  return readRules(text, path === '-' ? 'standard input' : path, platform)
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException
    throw new CommandFault(`${path} cannot be read (${code}): check the path and its permissions.`, EXIT.usage)
  }
}

export function readRules(text: string, path: string, platform: boolean): FileRule[] {
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
  const one: z.ZodType<FileRule> = platform ? RuleWords : NewOrganizationRule
  const complain = createComplain(path, document, lines)
  const read = <Value>(shape: z.ZodType<Value>): Value => {
    const parsed = shape.safeParse(value)
    if (parsed.success) return parsed.data
    throw wordIssues(complain, parsed.error.issues, RULE_MEMBERS)
  }
  if (Array.isArray(value)) return read(z.array(one))
  if (typeof value === 'object' && value !== null && 'rules' in value)
    return read(z.strictObject({ rules: z.array(one) })).rules
  return [read(one)]
}
