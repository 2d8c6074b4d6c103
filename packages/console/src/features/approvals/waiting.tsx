/** Calls that wait for somebody's word, one of them open. The keys j and k go through them; a and d begin an answer. */
import { Box, Group, Kbd, Paper, Stack, Switch, Text, UnstyledButton } from '@mantine/core'
import { useHotkeys, useLocalStorage } from '@mantine/hooks'
import { listApprovals, type Approval } from '@toolway/contract/admin'
import { useRef, useState } from 'react'
import { useMay, useOrganization } from '../../data/me.ts'
import { usePages } from '../../data/pages.ts'
import { texts } from '../../texts/texts.ts'
import { Empty } from '../../ui/empty.tsx'
import { LinkButton } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { More } from '../../ui/table.tsx'
import { AnswerForm } from './answer-form.tsx'
import { QuestionBody, QuestionHead } from './question.tsx'
import type { Verdict } from './questions.ts'

export interface WaitingProps {
  readonly chosen: string
  readonly onChoose: (approval: string) => void
}

export function Waiting({ chosen, onChoose }: WaitingProps) {
  const organization = useOrganization()
  const query = usePages('approvals', listApprovals, { path: { organization }, query: { state: 'pending' } })
  return (
    <Loaded query={query}>
      {({ items, total }) =>
        items.length === 0 ? (
          <Nothing />
        ) : (
          <>
            <Questions items={items} total={total} chosen={chosen} onChoose={onChoose} />
            <More shown={items.length} total={total} onMore={query.onMore} />
          </>
        )
      }
    </Loaded>
  )
}

function Nothing() {
  const mayRules = useMay('policy_manage')
  const t = texts.approvals
  return (
    <Empty title={t.empty} hint={t.emptyHint} icon="checkbox">
      {mayRules ? (
        <LinkButton to="/rules/new" search={{ action: 'approve' }} variant="light">
          {t.makeRule}
        </LinkButton>
      ) : null}
    </Empty>
  )
}

interface QuestionsProps extends WaitingProps {
  readonly items: readonly Approval[]
  readonly total: number
}

function Questions({ items, total, chosen, onChoose }: QuestionsProps) {
  const [keys, setKeys] = useLocalStorage({ key: 'toolway.approvals.keys', defaultValue: true })
  const [verdict, setVerdict] = useState<Verdict>('grant')
  const note = useRef<HTMLInputElement>(null)
  const at = Math.max(
    0,
    items.findIndex(({ id }) => id === chosen),
  )
  const open = items[at]
  const go = (by: number) => {
    const next = items[Math.min(items.length - 1, Math.max(0, at + by))]
    if (next !== undefined) onChoose(next.id)
  }
  const begin = (input: Verdict) => {
    setVerdict(input)
    note.current?.focus()
  }
  useHotkeys(
    keys
      ? [
          ['j', () => go(1)],
          ['k', () => go(-1)],
          ['a', () => begin('grant')],
          ['d', () => begin('deny')],
        ]
      : [],
  )
  const t = texts.approvals
  return (
    <Stack gap="sm">
      <Keys on={keys} onChange={setKeys} />
      {items.map((approval) => (
        <Paper key={approval.id} withBorder p="md">
          {approval.id === open?.id ? (
            <Stack gap="md">
              <QuestionHead approval={approval} heading={2} />
              <QuestionBody approval={approval} />
              <AnswerForm approval={approval} verdict={verdict} noteRef={note} />
            </Stack>
          ) : (
            <UnstyledButton w="100%" onClick={() => onChoose(approval.id)} aria-expanded={false}>
              <QuestionHead approval={approval} heading={2} />
            </UnstyledButton>
          )}
        </Paper>
      ))}
      {total > items.length ? <Text c="dimmed">{t.notAll({ shown: items.length, total })}</Text> : null}
    </Stack>
  )
}

/** Single keys can be turned off, for who speaks to the machine (WCAG 2.2, 2.1.4). */
function Keys({ on, onChange }: { on: boolean; onChange: (on: boolean) => void }) {
  const t = texts.approvals
  return (
    <Group justify="space-between" gap="sm">
      <Group gap="md" visibleFrom="sm" opacity={on ? 1 : 0.6}>
        {(['j', 'k', 'a', 'd'] as const).map((key) => (
          <Text key={key} size="sm" c="dimmed">
            <Kbd>{key}</Kbd> {t.keys[key]}
          </Text>
        ))}
      </Group>
      <Box visibleFrom="sm">
        <Switch label={t.keysOn} checked={on} onChange={(event) => onChange(event.currentTarget.checked)} />
      </Box>
    </Group>
  )
}
