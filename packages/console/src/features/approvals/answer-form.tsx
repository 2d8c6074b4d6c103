/** The answer to one question, with a note; who may not give it is told whose it is. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import type { Approval } from '@toolway/contract/admin'
import { useState, type Ref } from 'react'
import { useMe } from '../../data/me.ts'
import { localizedList } from '../../texts/gateway-words.ts'
import { texts } from '../../texts/texts.ts'
import { Icon } from '../../ui/icon.tsx'
import { useAnswer, type Verdict } from './questions.ts'

export interface AnswerFormProps {
  readonly approval: Approval
  /** The verdict that Enter in the note submits; the keys a and d choose it. */
  readonly verdict: Verdict
  readonly noteRef?: Ref<HTMLInputElement>
}

export function AnswerForm({ approval, verdict, noteRef }: AnswerFormProps) {
  const [note, setNote] = useState('')
  const answer = useAnswer()
  const t = texts.approvals
  if (!approval.yours) return <NotYours approval={approval} />
  const isOpen = approval.state === 'pending'
  const say = (input: Verdict) => answer.mutate({ approval, answer: input, note: note.trim() })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        say(isOpen ? verdict : 'deny')
      }}
    >
      <Stack gap="sm">
        <TextInput
          ref={noteRef}
          label={t.note}
          description={t.noteHint}
          maxLength={500}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        <Group gap="sm">
          {isOpen ? (
            <Button
              type={verdict === 'grant' ? 'submit' : 'button'}
              leftSection={<Icon name="check" size={16} />}
              loading={answer.isPending}
              onClick={verdict === 'grant' ? undefined : () => say('grant')}
            >
              {t.grant}
            </Button>
          ) : null}
          {isOpen && approval.always ? (
            <Button variant="light" disabled={answer.isPending} onClick={() => say('always')}>
              {t.always.grant}
            </Button>
          ) : null}
          <Button
            type={verdict === 'deny' || !isOpen ? 'submit' : 'button'}
            variant="default"
            leftSection={<Icon name="x" size={16} />}
            disabled={answer.isPending}
            onClick={verdict === 'deny' || !isOpen ? undefined : () => say('deny')}
          >
            {isOpen ? t.deny : t.takeBack}
          </Button>
        </Group>
        <Text size="sm" c="dimmed">
          {t.onlyThis} {isOpen && approval.always ? t.always.means : isOpen ? t.always.never : null}
        </Text>
      </Stack>
    </form>
  )
}

function NotYours({ approval }: { approval: Approval }) {
  const { user } = useMe()
  if (approval.state !== 'pending') return null
  const t = texts.approvals
  return (
    <Text size="sm" c="dimmed">
      {approval.caller === user?.email
        ? t.own
        : t.others({ who: approval.rules.map(({ asks }) => localizedList(asks)).join('; ') })}
    </Text>
  )
}
