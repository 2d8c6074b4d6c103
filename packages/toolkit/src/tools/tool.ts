/** A tool of the toolkit: what it takes and gives, and how it is carried out in the workspace of its session. */
import type { z } from 'zod'
import type { Workspace } from '../files/workspace.ts'

export interface Result<Output> {
  /** For clients that read text only. */
  readonly text: string
  readonly structured: Output
}

export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Input
  readonly output: Output
  readonly readOnly: boolean
  /** Whether a second call with the same arguments changes nothing more. */
  readonly idempotent: boolean
  /** The text of a failure before its reason. */
  readonly failure: string
  run(given: z.output<Input>, workspace: Workspace): Promise<Result<z.output<Output>>>
}

/** Keeps the types of a tool. */
export const tool = <Input extends z.ZodObject, Output extends z.ZodObject>(one: Tool<Input, Output>): Tool => one
