/**
 * The way of a command to an operation of the admin interface: `call(operation, input)`, answered by the operation's shape or refused
 * in the operation's own words. Over HTTP at the gateway that `toolway login` named, in this process on the local installation.
 */
import type { FaultCode } from '@toolway/contract'
import type { Operation } from '@toolway/contract/admin'
import type { z } from 'zod'
import { CommandFault, EXIT } from '../terminal/output.ts'

/** Values of a query; undefined ones are left out. */
type Query<Op extends Operation> = {
  readonly [Name in keyof z.input<Op['query']>]?: z.input<Op['query']>[Name] | undefined
}

export interface Input<Op extends Operation> {
  /** Of the braces of the operation's path. */
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Query<Op>
  readonly body?: z.input<Op['body']>
  /** The entity tag that the thing must still have. */
  readonly ifMatch?: string
  /** Told how far an operation is that may take long; over HTTP it is not. */
  readonly onProgress?: (value: unknown) => void
}

export interface Transport {
  /** The gateway's address where calls go over HTTP; undefined in this process. */
  readonly remote: string | undefined
  /** Where the gateway answers, whether it runs or not. */
  readonly address: string
  /** Whether a gateway runs that serves what is changed here. */
  isServing(): Promise<boolean>
  /** Throws Refusal. */
  call<Op extends Operation>(operation: Op, input?: Input<Op>): Promise<z.output<Op['answer']>>
  /** For operations that answer with something else than JSON. Throws Refusal. */
  stream<Op extends Operation>(operation: Op, input?: Input<Op>): Promise<ReadableStream<Uint8Array>>
}

export interface Problem {
  readonly code: string
  readonly status: number
  readonly message: string
  readonly mend: string
}

/** An operation that was refused. */
export class Refusal extends CommandFault {
  readonly code: string
  /** The sentence that says what went wrong. */
  readonly problem: string
  /** The next step; empty if none is known. */
  readonly mend: string
  constructor({ code, status, message, mend }: Problem, options?: ErrorOptions) {
    super(`${message} ${mend}`.trim(), exitOf(code, status), options)
    this.code = code
    this.problem = message
    this.mend = mend
  }
  is(...codes: readonly FaultCode[]): boolean {
    return (codes as readonly string[]).includes(this.code)
  }
}

/** For `catch`: a refusal with one of these codes says this instead, which names the command that helps. */
export const rewordRefusal =
  (message: string, ...codes: readonly FaultCode[]) =>
  (thrown: unknown): never => {
    throw thrown instanceof Refusal && thrown.is(...codes)
      ? new CommandFault(message, EXIT.failed, { cause: thrown })
      : thrown
  }

const exitOf = (code: string, status: number): number =>
  status === 401 ? EXIT.unreachable : code === 'body.shape' ? EXIT.usage : EXIT.failed

/** The query as an address says it. */
export function textsOf(query: Readonly<Record<string, unknown>> = {}): Record<string, string> {
  const present = Object.entries(query).filter(([, value]) => value !== undefined)
  return Object.fromEntries(present.map(([name, value]) => [name, String(value)]))
}

type Paged = Operation<
  z.ZodObject,
  z.ZodType,
  z.ZodType<{ items: unknown[]; total: number; next_cursor?: string | undefined }>
>
type RowOf<Op extends Operation> = z.output<Op['answer']> extends { items: readonly (infer Row)[] } ? Row : never

const PAGE = 200

/** All rows of a list that is answered in pages. */
export async function listAll<Op extends Paged>(
  { call }: Pick<Transport, 'call'>,
  operation: Op,
  input: Omit<Input<Op>, 'body'> = {},
): Promise<RowOf<Op>[]> {
  const rows: RowOf<Op>[] = []
  let [cursor, offset]: [string | undefined, number] = [undefined, 0]
  for (;;) {
    const at = cursor === undefined ? { offset } : { cursor }
    const query = { ...input.query, limit: PAGE, ...at } as unknown as Query<Op>
    const { items, total, next_cursor: next } = await call(operation, { ...input, query })
    rows.push(...(items as RowOf<Op>[]))
    offset += PAGE
    // A gateway of an earlier version has no cursors.
    if (next === undefined && (cursor !== undefined || items.length === 0 || offset >= total)) return rows
    cursor = next
  }
}
