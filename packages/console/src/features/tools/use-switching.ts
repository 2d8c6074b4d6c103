/** Switching tools of any connections on or off, with a way back. */
import { MOST_TOOLS, switchAllTools, type OrganizationTool } from '@toolway/contract/admin'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { call } from '../../data/call.ts'
import { useOrganization } from '../../data/me.ts'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { sayDone } from '../../ui/say.tsx'

export interface Switching {
  readonly busy: boolean
  /** Ends when the tools have been read again; never rejects. */
  set(tools: readonly OrganizationTool[], on: boolean): Promise<void>
}

export function useSwitching(): Switching {
  const organization = useOrganization()
  const queries = useQueryClient()
  const t = texts.tools
  const { mutate, mutateAsync, isPending } = useMutation({
    mutationFn: async ({ tools, on }: { tools: readonly OrganizationTool[]; on: boolean }) => {
      const changes = tools.map(({ connection, name }) => ({ connection, name, enabled: on }))
      for (let at = 0; at < changes.length; at += MOST_TOOLS)
        await call(switchAllTools, { path: { organization }, body: { tools: changes.slice(at, at + MOST_TOOLS) } })
    },
    onError: sayProblem,
    onSettled: () => Promise.all(['tools', 'toolsets'].map((noun) => queries.invalidateQueries({ queryKey: [noun] }))),
  })

  const set = useCallback(
    async (tools: readonly OrganizationTool[], on: boolean) => {
      const others = tools.filter(({ enabled }) => enabled !== on)
      if (others.length === 0) return sayDone(t.nothingToSwitch)
      const back = () => mutate({ tools: others, on: !on })
      const onSuccess = () =>
        sayDone(on ? t.switchedOn({ number: others.length }) : t.switchedOff({ number: others.length }), back)
      await Promise.allSettled([mutateAsync({ tools: others, on }, { onSuccess })])
    },
    [mutate, mutateAsync, t],
  )
  return { busy: isPending, set }
}
