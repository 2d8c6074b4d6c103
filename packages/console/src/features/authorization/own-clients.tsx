/** The clients that one allowed to use tools as oneself. */
import { Button, Stack, Text } from '@mantine/core'
import { endOwnGrant, listOwnGrants, type Grant } from '@toolway/contract/admin'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../data/call.ts'
import { askAll } from '../../data/pages.ts'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { Empty } from '../../ui/empty.tsx'
import { LinkButton } from '../../ui/links.tsx'
import { sayDone } from '../../ui/say.tsx'
import { Section } from '../../ui/section.tsx'
import { column, Table } from '../../ui/table.tsx'
import { When } from '../../ui/when.tsx'

const t = texts.me

export function OwnClients() {
  const found = useQuery(askAll('grants', listOwnGrants))
  const queries = useQueryClient()
  const end = useMutation({
    mutationFn: ({ id }: Grant) => call(endOwnGrant, { path: { grant: id } }),
    onSuccess: (_, { client_name: name }) => sayDone(t.clientEnded({ client: name })),
    onError: sayProblem,
    onSettled: () => queries.invalidateQueries({ queryKey: ['grants'] }),
  })
  const columns = [
    column<Grant>(t.appColumns.client, Client, 4),
    column<Grant>(t.appColumns.may, ({ limit }) => t.limits[limit], 2),
    column<Grant>(t.appColumns.used, ({ used_at: at }) => <When at={at} />, 2),
    column<Grant>(
      t.appColumns.action,
      (grant) => (
        <Button
          size="xs"
          variant="default"
          aria-label={t.endClient({ client: grant.client_name })}
          onClick={() => end.mutate(grant)}
        >
          {t.revoke}
        </Button>
      ),
      1,
      { plain: true },
    ),
  ]
  return (
    <Section title={t.apps} hint={t.appsHint} bare>
      <Table
        label={t.apps}
        query={found}
        rowKey={({ id }) => id}
        empty={
          <Empty title={t.appsNone} hint={t.appsNoneHint} icon="devices">
            <LinkButton to="/clients" variant="default">
              {t.appsConnect}
            </LinkButton>
          </Empty>
        }
        columns={columns}
      />
    </Section>
  )
}

const Client = ({ client_name: name, client_host: host }: Grant) => (
  <Stack gap={0}>
    <Text fw={600} className="breakable">
      {name}
    </Text>
    <Text size="xs" c="dimmed" className="breakable">
      {t.answersAt({ host })}
    </Text>
  </Stack>
)
