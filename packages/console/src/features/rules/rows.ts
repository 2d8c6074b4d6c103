/** Rows that were made of an answer, as a table takes its query. */
import type { UseQueryResult } from '@tanstack/react-query'
import type { Page, TableProps } from '../../ui/table.tsx'

type QueryState = Pick<UseQueryResult, 'error' | 'isFetching' | 'refetch'>

/** @param request what they were made of; absent where they are there already */
export function rowsOf<Row>(items: readonly Row[] | undefined, request?: QueryState): TableProps<Row>['query'] {
  const data: Page<Row> | undefined = items === undefined ? undefined : { items }
  const { error, isFetching, refetch } = request ?? THERE
  return { data, error, isFetching, refetch }
}

const THERE = { error: null, isFetching: false, refetch: () => Promise.resolve() }
