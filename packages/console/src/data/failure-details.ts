/** What an authorization server answered, or what is wrong with its answer, of a sealed text in an address: nobody else can write one. */
import { queryOptions } from '@tanstack/react-query'
import { z } from 'zod'

const Answer = z.object({ details: z.string().nullable() })

/** Null where there is none, it is too old, or nobody can be asked: it only adds to what is known. */
export async function openDetails(sealed: string, signal?: AbortSignal): Promise<string | null> {
  if (sealed === '') return null
  const query = new URLSearchParams({ details: sealed }).toString()
  const response = await fetch(`/connect/done/details?${query}`, signal === undefined ? {} : { signal }).catch(
    () => undefined,
  )
  const answer = Answer.safeParse(await response?.json().catch(() => undefined))
  return answer.data?.details ?? null
}

export const failureDetails = (sealed: string) =>
  queryOptions({ queryKey: ['failure-details', sealed], queryFn: ({ signal }) => openDetails(sealed, signal) })
