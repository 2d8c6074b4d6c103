/** Shared parts of the command descriptions. */
import { createOutput, type Output } from './terminal/output.ts'

export type Finish = (code: number) => void

export interface Common {
  json?: boolean
  organization: string
}

export const examples = (...lines: string[]) => `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`
export const outputOf = ({ json = false }: { json?: boolean }): Output => createOutput(json)
