/** Why a call would end as it would, by the rules in force; the call is part of the address. */
import { Paper, Stack } from '@mantine/core'
import { explainPolicy } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import { useOrganization } from '../../data/me.ts'
import { Problem } from '../../data/problem.ts'
import { ask } from '../../data/queries.ts'
import { useUrlState } from '../../data/url-state.ts'
import { Failed } from '../../ui/failed.tsx'
import { argumentsIn, ExplainForm, type ThoughtOf } from './explain-form.tsx'
import { Explanation } from './explanation.tsx'

const text = z.string().default('')
const State = z.object({ tool: text, as: text, key: text, toolset: text, arguments: text })

export const bodyOf = ({ tool, as, key, toolset, arguments: input }: ThoughtOf) => {
  const args = argumentsIn(input)
  return {
    tool,
    ...(as === '' ? {} : { as }),
    ...(key === '' ? {} : { key }),
    ...(toolset === '' ? {} : { toolset }),
    ...(args === undefined ? {} : { arguments: args }),
  }
}

export function ExplainTab() {
  const organization = useOrganization()
  const [thought, set] = useUrlState(State)
  const explained = useQuery({
    ...ask('rules', explainPolicy, { path: { organization }, body: bodyOf(thought) }),
    enabled: thought.tool !== '',
  })
  return (
    <Stack gap="lg">
      <Paper withBorder p="md">
        <ExplainForm initial={thought} busy={explained.isFetching} onAsk={(call) => set({ ...call }, 'push')} />
      </Paper>
      {explained.error === null || explained.isFetching ? null : <Failed failure={Problem.of(explained.error)} />}
      {explained.data === undefined || explained.error !== null ? null : (
        <Paper withBorder p="md">
          <Explanation told={explained.data} />
        </Paper>
      )}
    </Stack>
  )
}
