/** Questions that are over, or granted and not used yet, with what became of them; one of them opens beside the list. */
import { Drawer, Select, Stack, UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Approval } from '@toolway/contract/admin'
import { useState } from 'react'
import { useOrganization } from '../../data/me.ts'
import { texts } from '../../texts/texts.ts'
import { EffectBadge } from '../../ui/effect-badge.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { column, Table } from '../../ui/table.tsx'
import { When } from '../../ui/when.tsx'
import { AnswerForm } from './answer-form.tsx'
import { ApprovalState, QuestionBody, QuestionHead } from './question.tsx'
import { approvalQuery, approvalsQuery, type ApprovalState as State } from './questions.ts'

export interface PastProps {
  readonly state: State | undefined
  readonly onState: (state: State | undefined) => void
  readonly chosen: string
  readonly onChoose: (approval: string | undefined) => void
}

function columnsOf(onChoose: PastProps['onChoose']) {
  const t = texts.approvals
  return [
    column<Approval>(
      t.tool,
      (approval) => (
        <UnstyledButton onClick={() => onChoose(approval.id)} fw={600} c="var(--mantine-color-anchor)">
          {approval.tool}
        </UnstyledButton>
      ),
      3,
    ),
    column<Approval>(
      t.effect,
      ({ effect, effect_from: from }) => <EffectBadge effect={effect as 'read'} from={from} />,
      2,
    ),
    column<Approval>(t.caller, ({ caller }) => caller, 3),
    column<Approval>(t.state, (approval) => <ApprovalState approval={approval} />, 3),
    column<Approval>(t.asked, ({ created_at: at }) => <When at={at} />, 2),
  ]
}

export function Past({ state, onState, chosen, onChoose }: PastProps) {
  const organization = useOrganization()
  const [offset, setOffset] = useState(0)
  const query = useQuery(approvalsQuery(organization, state, offset))
  const t = texts.approvals
  return (
    <Stack gap="md">
      <Select
        label={t.state}
        maw={280}
        value={state ?? ''}
        data={[
          { value: '', label: t.anyState },
          ...(['granted', 'used', 'denied', 'expired'] as const).map((value) => ({ value, label: t.states[value] })),
        ]}
        allowDeselect={false}
        onChange={(value) => onState(value === '' ? undefined : (value as State))}
      />
      <Table<Approval>
        label={t.history}
        query={query}
        rowKey={({ id }) => id}
        columns={columnsOf(onChoose)}
        empty={<Empty title={t.noHistory} hint={t.noHistoryHint} icon="history" />}
        onPage={setOffset}
      />
      <Drawer
        opened={chosen !== ''}
        onClose={() => onChoose(undefined)}
        position="right"
        size="lg"
        title={t.question}
        closeButtonProps={{ 'aria-label': texts.close }}
      >
        {chosen === '' ? null : <Chosen approval={chosen} />}
      </Drawer>
    </Stack>
  )
}

function Chosen({ approval }: { approval: string }) {
  const organization = useOrganization()
  const query = useQuery(approvalQuery(organization, approval))
  return (
    <Loaded query={query}>
      {(found) => (
        <Stack gap="md">
          <QuestionHead approval={found} heading={3} />
          <div>
            <ApprovalState approval={found} />
          </div>
          <QuestionBody approval={found} />
          <AnswerForm approval={found} verdict="grant" />
        </Stack>
      )}
    </Loaded>
  )
}
