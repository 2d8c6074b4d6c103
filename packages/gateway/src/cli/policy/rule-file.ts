/** A file of rules for `toolway policy add`: YAML or JSON, one rule, a list of them, or `rules:` with a list. Read strictly. */
import { RuleWords } from '@toolway/contract'
import { NewOrganizationRule } from '@toolway/contract/admin'
import { z } from 'zod'
import { wordIssues } from '../../config-file-fault.ts'
import { RULE_MEMBERS } from '../../config-file-rules.ts'
import { readYaml } from '../../config-file-yaml.ts'
import { readText } from './yaml-file.ts'

export type FileRule = RuleWords & Partial<Pick<NewOrganizationRule, 'scope' | 'of'>>

/** `-` is standard input. Throws with the file, and line and column of what does not fit. */
export async function readRuleFile(path: string, platform: boolean): Promise<FileRule[]> {
  return readRules(await readText(path), path === '-' ? 'standard input' : path, platform)
}

export function readRules(text: string, path: string, platform: boolean): FileRule[] {
  const { value, complain } = readYaml(path, text, 'neither YAML nor JSON')
  const shape: z.ZodType<FileRule> = platform ? RuleWords : NewOrganizationRule
  const read = <Value>(shape: z.ZodType<Value>): Value => {
    const parsed = shape.safeParse(value)
    if (parsed.success) return parsed.data
    throw wordIssues(complain, parsed.error.issues, RULE_MEMBERS)
  }
  if (Array.isArray(value)) return read(z.array(shape))
  if (typeof value === 'object' && value !== null && 'rules' in value)
    return read(z.strictObject({ rules: z.array(shape) })).rules
  return [read(shape)]
}
