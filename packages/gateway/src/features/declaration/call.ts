/** How a declaration reaches the operations of the admin interface, wherever they are carried out. */
import type { Operation } from '@toolway/contract/admin'
import type { z } from 'zod'

export interface Input {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Throws what the operation refuses. */
export type Call = <Op extends Operation>(operation: Op, input: Input) => Promise<z.output<Op['answer']>>

/** One call of an operation, to be made later. */
export interface Act extends Input {
  readonly operation: Operation
}

const PAGE = 200

/** All rows of a list that comes in pages. */
export async function allOf<Row>(
  list: (
    query: Record<string, string>,
  ) => Promise<{ readonly items: readonly Row[]; readonly next_cursor?: string | undefined }>,
): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: string | undefined
  do {
    const page = await list({ limit: String(PAGE), ...(cursor === undefined ? {} : { cursor }) })
    rows.push(...page.items)
    cursor = page.next_cursor
  } while (cursor !== undefined)
  return rows
}
