/** One's own second factors: passkeys and authenticator apps, and the recovery codes, which are shown once. */
import { Button, Group, Stack, Text } from '@mantine/core'
import { listSecondFactors, newRecoveryCodes, removeSecondFactor, type SecondFactor } from '@toolway/contract/admin'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../data/call.ts'
import { ask } from '../../data/queries.ts'
import { ConfirmedAction } from '../../parts/confirmed-action.tsx'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { CodeBlock, CopyButton } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Empty } from '../../ui/empty.tsx'
import { sayDone } from '../../ui/say.tsx'
import { Section } from '../../ui/section.tsx'
import { column, Table } from '../../ui/table.tsx'
import { When } from '../../ui/when.tsx'
import { AddApp } from './add-app.tsx'
import { AddPasskey } from './add-passkey.tsx'

const t = texts.secondFactor

export function SecondFactors() {
  const found = useQuery(ask('me', listSecondFactors))
  const queries = useQueryClient()
  const [adding, setAdding] = useState<'passkey' | 'app'>()
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const close = () => setAdding(undefined)
  const added = (fresh: readonly string[] | null) => {
    close()
    setCodes(fresh)
    sayDone(t.added)
    return queries.invalidateQueries({ queryKey: ['me'] })
  }
  const columns = [
    column<SecondFactor>(t.columns.name, Name, 4),
    column<SecondFactor>(t.columns.added, ({ created_at: at }) => <When at={at} />, 2),
    column<SecondFactor>(t.columns.used, ({ used_at: at }) => (at === null ? t.never : <When at={at} />), 2),
    column<SecondFactor>(t.columns.action, Remove, 1, { plain: true }),
  ]
  return (
    <Section
      title={t.title}
      hint={found.data?.required === true ? t.required : t.hint}
      bare
      action={
        <>
          {found.data?.passkeys === false ? null : (
            <Button variant="default" onClick={() => setAdding('passkey')}>
              {t.addPasskey}
            </Button>
          )}
          <Button variant="default" onClick={() => setAdding('app')}>
            {t.addApp}
          </Button>
        </>
      }
    >
      <Table label={t.title} query={found} rowKey={({ id }) => id} empty={<Empty title={t.none} />} columns={columns} />
      {found.data === undefined || found.data.items.length === 0 ? null : (
        <Codes left={found.data.recovery_codes} onMade={setCodes} />
      )}
      {adding === 'passkey' ? <AddPasskey onAdded={(fresh) => void added(fresh)} onClose={close} /> : null}
      {adding === 'app' ? <AddApp onAdded={(fresh) => void added(fresh)} onClose={close} /> : null}
      {codes === null ? null : <CodesOnce codes={codes} onClose={() => setCodes(null)} />}
    </Section>
  )
}

function Name({ name, kind, synced }: SecondFactor) {
  return (
    <Stack gap={0}>
      <Text fw={600}>{name}</Text>
      <Text size="xs" c="dimmed">
        {kind === 'app' ? t.kinds.app : synced === true ? t.kinds.synced : t.kinds.passkey}
      </Text>
    </Stack>
  )
}

function Remove({ id, name }: SecondFactor) {
  return (
    <ConfirmedAction
      look="remove"
      label={t.removeOf({ name })}
      verb={t.remove}
      noun="me"
      done={t.removed}
      run={() => call(removeSecondFactor, { path: { factor: id } })}
    >
      {t.removeText}
    </ConfirmedAction>
  )
}

function Codes({ left, onMade }: { left: number; onMade: (codes: readonly string[]) => void }) {
  const queries = useQueryClient()
  const make = useMutation({
    mutationFn: () => call(newRecoveryCodes),
    onSuccess: ({ recovery_codes: codes }) => {
      onMade(codes)
      return queries.invalidateQueries({ queryKey: ['me'] })
    },
    onError: sayProblem,
  })
  return (
    <Group justify="space-between">
      <Text size="sm">{t.codes.left({ count: left })}</Text>
      <Button variant="default" size="xs" loading={make.isPending} onClick={() => make.mutate()}>
        {t.codes.renew}
      </Button>
    </Group>
  )
}

function CodesOnce({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const text = codes.join('\n')
  return (
    <Dialog opened title={t.codes.title} onClose={onClose}>
      <Text size="sm">{t.codes.hint}</Text>
      <CodeBlock label={t.codes.title}>{text}</CodeBlock>
      <Group justify="space-between">
        <CopyButton value={text} label={t.codes.copy} />
        <Button onClick={onClose}>{t.codes.stored}</Button>
      </Group>
    </Dialog>
  )
}
