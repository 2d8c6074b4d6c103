/**
 * A list that is read page by page, as far as somebody scrolls: searched, sorted and counted at the gateway. What is loaded is
 * never taken for the whole: `total` is the gateway's.
 */
import type { Operation, Shape } from '@toolway/contract/admin'
import { keepPreviousData, queryOptions, useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import type { z } from 'zod'
import { call, type Given } from './call.ts'
import type { Noun } from './queries.ts'

/** Rows of a page that somebody scrolls through. */
export const PAGE_ROWS = 100

interface PageShape {
  readonly items: readonly unknown[]
  readonly total: number
  readonly next_cursor?: string | undefined
  readonly unreadable?: number | undefined
}

export interface Pages<Page> {
  /** The first page, with the rows of all pages that are loaded; undefined while nothing has come. */
  readonly data: Page | undefined
  readonly error: Error | null
  readonly isFetching: boolean
  /** Whether the rows shown are still those of another question. */
  readonly isOld: boolean
  refetch(): unknown
  /** Undefined where all rows are loaded. */
  readonly onMore: (() => void) | undefined
}

/** Follows cursors; the other words of the question stay the same on each page. */
export function usePages<Query extends z.ZodObject, Body extends Shape, Answer extends z.ZodType<PageShape>>(
  noun: Noun,
  operation: Operation<Query, Body, Answer>,
  input: Omit<Given<Query, Body>, 'signal'>,
  enabled = true,
): Pages<z.output<Answer>> {
  const queryKey = [
    noun,
    input.path?.['organization'] ?? null,
    'pages',
    operation.method,
    operation.path,
    input.path,
    input.query,
    input.body,
  ]
  const pages = useInfiniteQuery({
    queryKey,
    enabled,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => call(operation, { ...at(operation, input, pageParam), signal }),
    getNextPageParam: (last: PageShape) => last.next_cursor,
    placeholderData: keepPreviousData,
  })
  const { data: loaded, error, isFetching, isFetchingNextPage, isPlaceholderData, hasNextPage, fetchNextPage } = pages
  const data = useMemo(() => {
    const [first] = loaded?.pages ?? []
    if (first === undefined) return undefined
    const bad = loaded?.pages.reduce((sum, { unreadable = 0 }) => sum + unreadable, 0)
    return {
      ...{ ...first, items: loaded?.pages.flatMap(({ items }) => items), unreadable: bad === 0 ? undefined : bad },
      ...{ limit: undefined, offset: undefined },
    }
  }, [loaded])
  const more = useCallback(() => void fetchNextPage(), [fetchNextPage])
  return {
    data,
    error,
    isFetching,
    isOld: isPlaceholderData,
    refetch: pages.refetch,
    onMore: hasNextPage && !isFetchingNextPage && !isPlaceholderData ? more : undefined,
  }
}

/** The question for one page: a question with a body has its cursor there. */
function at<Query extends z.ZodObject, Body extends Shape>(
  { method }: Operation<Query, Body>,
  input: Omit<Given<Query, Body>, 'signal'>,
  cursor: string | undefined,
  limit = PAGE_ROWS,
): Omit<Given<Query, Body>, 'signal'> {
  const page = { limit, ...(cursor === undefined ? {} : { cursor }) }
  if (method === 'GET') return { ...input, query: { ...page, ...input.query } as never }
  return { ...input, body: { ...page, ...(input.body as object) } as never }
}

/** Rows of a page that nobody scrolls through: the most that one answer has. */
const FULL_PAGE = 200

/** For lists that are short by nature, such as one's own accounts: the whole list, read to its last page. */
export function askAll<Query extends z.ZodObject, Body extends Shape, Answer extends z.ZodType<PageShape>>(
  noun: Noun,
  operation: Operation<Query, Body, Answer>,
  input: Omit<Given<Query, Body>, 'signal'> = {},
) {
  return queryOptions({
    queryKey: [
      noun,
      input.path?.['organization'] ?? null,
      'all',
      operation.method,
      operation.path,
      input.path,
      input.query,
    ],
    queryFn: async () => {
      const items = await readAll(operation, input)
      return { items, total: items.length }
    },
    placeholderData: keepPreviousData,
  })
}

/** Everything that fits, for an act on all of it: page by page, because no answer has more than a page. */
export async function readAll<Query extends z.ZodObject, Body extends Shape, Answer extends z.ZodType<PageShape>>(
  operation: Operation<Query, Body, Answer>,
  input: Omit<Given<Query, Body>, 'signal'>,
): Promise<z.output<Answer>['items'][number][]> {
  const all: unknown[] = []
  let cursor: string | undefined
  do {
    const page: PageShape = await call(operation, at(operation, input, cursor, FULL_PAGE))
    all.push(...page.items)
    cursor = page.next_cursor
  } while (cursor !== undefined)
  return all
}
