/** A toolset as somebody is changing it, beside what is saved; saving is one step, and can be taken back. */
import { putToolset, type Toolset } from '@toolway/contract/admin'
import type { ToolsetSettings } from '@toolway/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../data/call.ts'
import { useOrganization } from '../../data/me.ts'
import { Problem } from '../../data/problem.ts'
import { texts } from '../../texts/texts.ts'
import { sayDone, sayFailed } from '../../ui/say.tsx'

export interface Draft {
  readonly title: string
  readonly settings: ToolsetSettings
}

export interface Drafting {
  readonly draft: Draft
  readonly changed: boolean
  readonly saving: boolean
  change(next: Partial<Draft>): void
  set(settings: ToolsetSettings): void
  discard(): void
  save(): void
}

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

export function useDraft({ slug, title, settings }: Toolset): Drafting {
  const organization = useOrganization()
  const queries = useQueryClient()
  const saved: Draft = { title, settings }
  const [own, setOwn] = useState<Draft>()
  const draft = own ?? saved
  const changed = own !== undefined && !same(own, saved)
  const t = texts.toolsets
  const { mutate, isPending } = useMutation({
    mutationFn: ({ title, settings }: Draft) =>
      call(putToolset, { path: { organization, toolset: slug }, body: { ...settings, title } }),
    onError: (thrown) => sayFailed(Problem.of(thrown)),
    onSettled: () =>
      Promise.all(['toolsets', 'tools', 'rules'].map((noun) => queries.invalidateQueries({ queryKey: [noun] }))),
  })
  // Tabs and drawers are parts of the address, too: only another page is a farewell.
  useBlocker({
    // A page of its own would be more to read than the question is.
    shouldBlockFn: ({ current, next }) => changed && current.pathname !== next.pathname && !window.confirm(t.leave),
    enableBeforeUnload: changed,
    disabled: !changed,
  })
  return {
    draft,
    changed,
    saving: isPending,
    change: (next) => setOwn({ ...draft, ...next }),
    set: (settings) => setOwn({ ...draft, settings }),
    discard: () => setOwn(undefined),
    save: () =>
      mutate(draft, {
        onSuccess() {
          setOwn(undefined)
          sayDone(t.saved({ title: draft.title }), () => mutate(saved))
        },
      }),
  }
}
