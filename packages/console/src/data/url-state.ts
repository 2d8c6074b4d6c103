/**
 * State that lives in the address, so that a colleague who is sent it sees the same: filters, tabs, open dialogs.
 *
 * A schema reads it from strings and gives what is absent a default; what does not fit is as if it were absent.
 */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import type { z } from 'zod'

export type Search = Readonly<Record<string, string>>

/** `?a=b&c=d` as strings, and back; nothing is taken for JSON. */
export const parseSearch = (text: string): Search => Object.fromEntries(new URLSearchParams(text))
export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(search).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`
}

type Change<State> = { readonly [Name in keyof State]?: State[Name] | undefined }

/** `push`: a step that the back button takes back, such as a dialog; without it the address is replaced. */
export type SetUrlState<State> = (change: Change<State>, how?: 'push') => void

export function useUrlState<Schema extends z.ZodObject>(
  schema: Schema,
): [z.output<Schema>, SetUrlState<z.input<Schema>>] {
  const search: Record<string, unknown> = useSearch({ strict: false })
  const navigate = useNavigate()
  const state = useMemo(() => readState(schema, search), [schema, search])
  const set = useCallback(
    (change: Change<z.input<Schema>>, how?: 'push') =>
      void navigate({
        to: '.',
        search: (before: Record<string, unknown>) => withoutEmpty({ ...before, ...change }),
        replace: how !== 'push',
        resetScroll: false,
      } as never),
    [navigate],
  )
  return [state, set]
}

/** Each field by itself: a wrong one does not take the others with it. */
export function readState<Schema extends z.ZodObject>(
  schema: Schema,
  search: Readonly<Record<string, unknown>>,
): z.output<Schema> {
  const fitting = Object.entries(schema.shape).flatMap(([name, field]) => {
    const raw = search[name]
    return raw !== undefined && (field as z.ZodType).safeParse(raw).success ? [[name, raw]] : []
  })
  return schema.parse(Object.fromEntries(fitting))
}

const withoutEmpty = (search: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== undefined && value !== '' && value !== null),
  )
