/** One's own identities at providers: which of them sign the account in, and the button that links another one. */
import { Button } from '@mantine/core'
import {
  beginIdentityLink,
  listIdentityLinks,
  removeIdentityLink,
  type IdentityLink,
  type LinkProvider,
} from '@toolway/contract/admin'
import { useMutation, useQuery } from '@tanstack/react-query'
import { call } from '../../data/call.ts'
import { ask } from '../../data/queries.ts'
import { ConfirmedAction } from '../../parts/confirmed-action.tsx'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { Empty } from '../../ui/empty.tsx'
import { Section } from '../../ui/section.tsx'
import { column, Table } from '../../ui/table.tsx'
import { When } from '../../ui/when.tsx'

const t = texts.identityProviders.own

/** Nothing is shown where there is no provider. */
export function OwnIdentities() {
  const found = useQuery(ask('me', listIdentityLinks))
  if (found.data === undefined || found.data.items.length + found.data.offered.length === 0) return null
  const columns = [
    column<IdentityLink>(t.provider, ({ title }) => title, 4),
    column<IdentityLink>(t.linked, ({ linked_at: at }) => <When at={at} />, 2),
    column<IdentityLink>(t.used, ({ signed_in_at: at }) => (at === null ? t.never : <When at={at} />), 2),
    column<IdentityLink>(t.action, Unlink, 1, { plain: true }),
  ]
  return (
    <Section
      title={t.title}
      hint={t.hint}
      bare
      action={found.data.offered.map((offered) => (
        <Add key={offered.provider} {...offered} />
      ))}
    >
      <Table
        label={t.title}
        query={found}
        rowKey={({ provider }) => provider}
        empty={<Empty title={t.none} />}
        columns={columns}
      />
    </Section>
  )
}

function Add({ provider, title }: LinkProvider) {
  const begin = useMutation({
    mutationFn: () => call(beginIdentityLink, { path: { provider } }),
    onSuccess: ({ url }) => location.assign(url),
    onError: sayProblem,
  })
  return (
    <Button variant="default" loading={begin.isPending} onClick={() => begin.mutate()}>
      {t.add({ title })}
    </Button>
  )
}

function Unlink({ provider, title, last }: IdentityLink) {
  if (last) return null
  return (
    <ConfirmedAction
      look="remove"
      label={t.removeOf({ title })}
      verb={t.remove}
      noun="me"
      done={t.removed}
      run={() => call(removeIdentityLink, { path: { provider } })}
    >
      {t.removeText}
    </ConfirmedAction>
  )
}
