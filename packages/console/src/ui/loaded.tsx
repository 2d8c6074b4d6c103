/** One thing that is asked for: waiting, failed, or here. Lists have `Table`. */
import { Skeleton, Stack } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Failed } from './failed.tsx'

export interface LoadedProps<Data> {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'isFetching'> & { refetch(): unknown }
  readonly children: (data: Data) => ReactNode
  /** Lines that stand for it while it is waited for. */
  readonly lines?: number
}

export function Loaded<Data>({ query, children, lines = 4 }: LoadedProps<Data>) {
  const { data, error, isFetching, refetch } = query
  if (data !== undefined) return <>{children(data)}</>
  if (error !== null && !isFetching) return <Failed failure={error} onRetry={() => void refetch()} />
  return (
    <Stack aria-busy="true">
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} height={18} />
      ))}
    </Stack>
  )
}
