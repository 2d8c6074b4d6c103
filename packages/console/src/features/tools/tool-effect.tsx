/** The source of a tool's effect, and the control for an administrator to set it. */
import { Select } from '@mantine/core'
import type { Effect } from '@toolway/contract'
import { toggleTool, type ToolInFull } from '@toolway/contract/admin'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../data/call.ts'
import { useMay, useOrganization } from '../../data/me.ts'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { Allowed } from '../../ui/allowed.tsx'
import { sayDone } from '../../ui/say.tsx'

const UNSAID = 'unsaid'

export function ToolEffect({ tool }: { tool: ToolInFull }) {
  const organization = useOrganization()
  const queries = useQueryClient()
  const may = useMay('tool_configure')
  const t = texts.tools.drawer
  const path = { organization, connection: tool.connection, tool: tool.name }
  const say = useMutation({
    mutationFn: (effect: Effect | null) => call(toggleTool, { path, body: { effect } }),
    onSuccess: () => sayDone(t.effectSaid),
    onError: sayProblem,
    onSettled: () => queries.invalidateQueries({ queryKey: ['tools'] }),
  })
  const effect = tool.effect_from === 'administrator' ? tool.effect : UNSAID
  return (
    <Allowed may={may} why={texts.connection.notYours}>
      <Select
        label={t.sayEffect}
        description={texts.effectFrom[tool.effect_from]}
        data={[
          { value: UNSAID, label: t.unsaid },
          ...Object.entries(texts.effects).map(([value, label]) => ({ value, label })),
        ]}
        value={effect}
        allowDeselect={false}
        disabled={!may || say.isPending}
        onChange={(next) => say.mutate(next === UNSAID ? null : (next as Effect))}
      />
    </Allowed>
  )
}
