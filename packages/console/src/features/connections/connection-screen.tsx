/** One connection: how it is, whose accounts it acts with, what it offers, what changed, and what is set of it. */
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { getConnection } from '@toolway/contract/admin'
import { useOrganization } from '../../data/me.ts'
import { Problem } from '../../data/problem.ts'
import { ask } from '../../data/queries.ts'
import { texts } from '../../texts/texts.ts'
import { Empty } from '../../ui/empty.tsx'
import { LinkButton } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Screen } from '../../ui/screen.tsx'
import { ConnectionActions } from './connection/connection-actions.tsx'
import { ConnectionBody } from './connection/connection-body.tsx'

const t = texts.connection

export function ConnectionScreen() {
  const organization = useOrganization()
  const { connection = '' } = useParams({ strict: false }) as { connection?: string }
  const found = useQuery(ask('connections', getConnection, { path: { organization, connection } }))
  const gone = found.error !== null && Problem.of(found.error).status === 404
  const parent = { to: '/connections', title: texts.nav.connections }
  if (gone)
    return (
      <Screen title={t.missing.title} parent={parent}>
        <Empty title={t.missing.empty} hint={t.missing.hint} icon="plug-connected">
          <LinkButton to="/connections">{t.missing.all}</LinkButton>
        </Empty>
      </Screen>
    )
  return (
    <Screen
      title={found.data?.title ?? t.loading}
      parent={parent}
      action={found.data === undefined ? undefined : <ConnectionActions connection={found.data} />}
    >
      <Loaded query={found}>{(found) => <ConnectionBody connection={found} />}</Loaded>
    </Screen>
  )
}
