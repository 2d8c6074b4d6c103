/**
 * Questions as values: what a screen hands to `useQuery`, with the key by which live events find it again.
 *
 * A key is `[noun, organization, operation, path, query]`; an event makes all of a noun be asked again.
 */
import type { Operation, Shape } from '@toolway/contract/admin'
import { keepPreviousData, queryOptions, QueryClient, type QueryKey } from '@tanstack/react-query'
import type { z } from 'zod'
import { call, type Given } from './call.ts'
import { Problem } from './problem.ts'

/** The things whose change is told or made here; what is asked is filed under one of them. `past`: figures of a time that is over. */
export type Noun =
  | 'me'
  | 'connections'
  | 'tools'
  | 'toolsets'
  | 'accounts'
  | 'approvals'
  | 'rules'
  | 'records'
  | 'record-streams'
  | 'identity-domains'
  | 'identity-providers'
  | 'scim'
  | 'stats'
  | 'past'
  | 'alerts'
  | 'keys'
  | 'grants'
  | 'clients'
  | 'people'
  | 'organizations'
  | 'runtime'
  | 'settings'
  | 'oauth'
  | 'webhooks'
  | 'catalog'
  | 'files'

export function ask<Query extends z.ZodObject, Body extends Shape, Answer extends Shape>(
  noun: Noun,
  operation: Operation<Query, Body, Answer>,
  input: Omit<Given<Query, Body>, 'signal'> = {},
) {
  const queryKey: QueryKey = [
    noun,
    input.path?.['organization'] ?? null,
    operation.method,
    operation.path,
    input.path,
    input.query,
    input.body,
  ]
  return queryOptions({
    queryKey,
    queryFn: ({ signal }): Promise<z.output<Answer>> => call(operation, { ...input, signal }),
    // The page before stays until the next one is here.
    placeholderData: keepPreviousData,
  })
}

export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // Changes arrive through the event stream; entering a screen refetches all the same (ledger S2-UI-08).
        staleTime: 1_000,
        refetchOnMount: 'always',
        refetchOnWindowFocus: true,
        retry: (count, thrown) => count < 2 && isPassing(Problem.of(thrown)),
        retryDelay: (count, thrown) => (Problem.of(thrown).retryAfter ?? 2 ** count) * 1_000,
      },
    },
  })
}

const isPassing = ({ status }: Problem): boolean =>
  status === 0 || status === 429 || status === 502 || status === 503 || status === 504
