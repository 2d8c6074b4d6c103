/**
 * The selection of the draft, and how it changes. One tool is taken or dropped here, at once; a change that needs to know tools of
 * other pages is asked of the gateway, one after the other.
 */
import { sayProblem } from '../../parts/say-problem.ts'
import { changesAlone, dropTools, takeTools, type PickableTool, type SelectedTools } from '@toolway/contract'
import { changePick } from '@toolway/contract/admin'
import { useMutation } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import type { z } from 'zod'
import { call } from '../../data/call.ts'
import { useOrganization } from '../../data/me.ts'
import type { Drafting } from './use-draft.ts'

type PickChange = Omit<z.input<typeof changePick.body>, 'selection'>

export interface SelectionChanges {
  readonly busy: boolean
  readonly one: (tool: PickableTool, on: boolean) => void
  readonly many: (change: PickChange) => void
  readonly put: (selection: SelectedTools) => void
}

export const selectionOf = ({ connections, include, exclude }: SelectedTools) => ({
  ...(connections === undefined ? {} : { connections: [...connections] }),
  ...{ include: [...include], exclude: [...exclude] },
})

export function useSelection(drafting: Drafting): SelectionChanges {
  const organization = useOrganization()
  const latest = useRef(drafting)
  useEffect(() => {
    latest.current = drafting
  })
  const put = useCallback((selection: SelectedTools) => {
    const { draft, set } = latest.current
    const { connections: _, ...rest } = draft.settings
    set({ ...rest, ...selectionOf(selection) })
  }, [])
  const { mutate, isPending } = useMutation({
    // In one scope, so that a second change begins with what the first one made.
    scope: { id: 'tool selection' },
    mutationFn: (change: PickChange) =>
      call(changePick, {
        path: { organization },
        body: { ...change, selection: selectionOf(latest.current.draft.settings) },
      }),
    onSuccess: put,
    onError: sayProblem,
  })
  const one = useCallback(
    (tool: PickableTool, on: boolean) => {
      const { settings } = latest.current.draft
      if (!on) put(dropTools(settings, [tool]))
      else if (changesAlone(settings, [tool])) put(takeTools(settings, [tool], []))
      else mutate({ take: true, names: [tool.rule_name] })
    },
    [mutate, put],
  )
  return { busy: isPending, one, many: mutate, put }
}
