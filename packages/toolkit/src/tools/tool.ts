/** A tool of the toolkit: what it takes and gives, and how it is carried out for one call of a session. */
import type { z } from 'zod'
import type { Workspace } from '../files/workspace.ts'
import type { Fault } from '../fault.ts'

export interface Result<Output> {
  /** For clients that read text only. */
  readonly text: string
  readonly structured: Output
}

/** How a call ended: with what the tool gave, or with a fault whose text says it too. */
export type Outcome = { readonly text: string } & (
  | { readonly structured: object; readonly fault?: undefined }
  | { readonly fault: Fault; readonly structured?: undefined }
)

/** One call of a tool: where it works, and how it tells of its progress and learns of its end. */
export interface ToolCall {
  /** The files of the session. */
  readonly workspace: Workspace
  /** Aborted when the client cancels the call or goes away. */
  readonly signal: AbortSignal
  /** Tells the client how far the call is; nothing is sent to a client that gave no progress token. `done` only grows. */
  progress(done: number, total: number | undefined, message: string): void
  /** Calls another tool for this one. It counts like a call of the client, and answers a failure as a fault. */
  callTool(tool: Tool, input: unknown, parts: Pick<ToolCall, 'signal' | 'progress'>): Promise<Outcome>
}

export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Input
  readonly output: Output
  /** Arguments of calls that work, for models to learn from; each fits `input`. */
  readonly examples: readonly z.input<Input>[]
  /** Whether it changes nothing, on this machine or elsewhere. */
  readonly readOnly: boolean
  /** Whether it may replace or remove something that is there. */
  readonly destructive: boolean
  /** Whether a second call with the same arguments changes nothing more. */
  readonly idempotent: boolean
  /** Whether it reaches other machines. */
  readonly openWorld: boolean
  /** The text of a failure before its reason. */
  readonly failure: string
  run(input: z.output<Input>, call: ToolCall): Promise<Result<z.output<Output>>>
}

/** Keeps the types of a tool. */
export const tool = <Input extends z.ZodObject, Output extends z.ZodObject>(item: Tool<Input, Output>): Tool => item
