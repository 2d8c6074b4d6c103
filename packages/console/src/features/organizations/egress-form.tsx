/** The private addresses that the connections of an organization may reach. */
import { Button, Group, Stack, Text, Textarea, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { changeEgress, getEgress } from '@toolway/contract/admin'
import { useState } from 'react'
import { call } from '../../data/call.ts'
import { Problem } from '../../data/problem.ts'
import { ask } from '../../data/queries.ts'
import { texts } from '../../texts/texts.ts'
import { Failed } from '../../ui/failed.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { sayDone } from '../../ui/say.tsx'

export function EgressForm({ slug }: { slug: string }) {
  const found = useQuery(ask('organizations', getEgress, { path: { organization: slug } }))
  const t = texts.organizations.egress
  return (
    <Stack gap="sm">
      <Title order={3}>{t.title}</Title>
      <Text size="sm" c="dimmed">
        {t.hint}
      </Text>
      <Loaded query={found}>{({ networks, hosts }) => <Fields slug={slug} networks={networks} hosts={hosts} />}</Loaded>
    </Stack>
  )
}

interface FieldsProps {
  readonly slug: string
  readonly networks: readonly string[]
  readonly hosts: readonly string[]
}

const linesOf = (text: string): string[] => text.split(/[\s,]+/).filter((line) => line !== '')

function Fields({ slug, ...before }: FieldsProps) {
  const queries = useQueryClient()
  const [networks, setNetworks] = useState(before.networks.join('\n'))
  const [names, setNames] = useState(before.hosts.join('\n'))
  const t = texts.organizations.egress
  const save = useMutation({
    mutationFn: () =>
      call(changeEgress, {
        path: { organization: slug },
        body: { networks: linesOf(networks), hosts: linesOf(names).map((name) => name.toLowerCase()) },
      }),
    onSuccess: async () => {
      sayDone(t.saved)
      await queries.invalidateQueries({ queryKey: ['organizations'] })
    },
  })
  const area = { autosize: true, minRows: 2, maxRows: 8, spellCheck: false } as const
  return (
    <>
      <Textarea
        label={t.networks}
        description={t.networksHint}
        value={networks}
        onChange={({ currentTarget }) => setNetworks(currentTarget.value)}
        {...area}
      />
      <Textarea
        label={t.names}
        description={t.namesHint}
        value={names}
        onChange={({ currentTarget }) => setNames(currentTarget.value)}
        {...area}
      />
      {save.error === null ? null : <Failed failure={Problem.of(save.error)} />}
      <Group justify="flex-end">
        <Button variant="default" loading={save.isPending} onClick={() => save.mutate()}>
          {t.save}
        </Button>
      </Group>
    </>
  )
}
