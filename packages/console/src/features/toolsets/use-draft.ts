/** A toolset as somebody is changing it, beside what is saved; saving is one step, and can be taken back. */
import { putToolset, type Toolset } from '@toolway/contract/admin'
import type { ToolsetSettings } from '@toolway/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { call } from '../../data/call.ts'
import { useKeptDraft } from '../../data/kept-draft.ts'
import { useOrganization } from '../../data/me.ts'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { sayDone } from '../../ui/say.tsx'

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

export function useDraft({ slug, title, settings }: Toolset): Drafting {
  const organization = useOrganization()
  const queries = useQueryClient()
  const saved: Draft = { title, settings }
  const { draft, isChanged: changed, set: setOwn, discard } = useKeptDraft(`toolset:${slug}`, saved)
  const t = texts.toolsets
  const { mutate, isPending } = useMutation({
    mutationFn: ({ title, settings }: Draft) =>
      call(putToolset, { path: { organization, toolset: slug }, body: { ...settings, title } }),
    onError: sayProblem,
    onSettled: () =>
      Promise.all(['toolsets', 'tools', 'rules'].map((noun) => queries.invalidateQueries({ queryKey: [noun] }))),
  })
  useSayKept(changed, draft.title)
  return {
    draft,
    changed,
    saving: isPending,
    change: (next) => setOwn({ ...draft, ...next }),
    set: (settings) => setOwn({ ...draft, settings }),
    discard,
    save: () =>
      mutate(draft, {
        onSuccess() {
          discard()
          sayDone(t.saved({ title: draft.title }), () => mutate(saved))
        },
      }),
  }
}

/** Whoever leaves the page with unsaved changes is told where they are. */
function useSayKept(changed: boolean, title: string): void {
  const last = useRef<string>(undefined)
  useEffect(() => {
    last.current = changed ? title : undefined
  })
  useEffect(
    () => () => {
      if (last.current !== undefined) sayDone(texts.toolsets.kept({ title: last.current }))
    },
    [],
  )
}
