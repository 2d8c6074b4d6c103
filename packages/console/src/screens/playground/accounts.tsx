/** With which account calls of a connection act, before one is made: one's own goes before the shared one. */
import { listAccounts } from '@toolway/contract/admin'
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMe, useOrganization } from '../../data/me.ts'
import { askAll } from '../../data/pages.ts'
import { texts } from '../../texts/texts.ts'

export function ActingAccount({ connection }: { connection: string }) {
  const organization = useOrganization()
  const { user } = useMe()
  const { data } = useQuery(askAll('accounts', listAccounts, { path: { organization, connection } }))
  if (data === undefined || data.items.length === 0) return null
  const t = texts.playground
  const own = data.items.filter((item) => item.owner === 'member' && item.user_id === user?.id)
  const shared = data.items.find((item) => item.owner === 'organization' && item.is_default)
  const [mine] = own.filter((item) => own.length === 1 || item.is_default)
  return (
    <Text size="sm" c="dimmed">
      {t.accounts({ own: mine?.name ?? mine?.account, shared: shared?.name ?? shared?.account })}{' '}
      {own.length > 1 ? t.several : ''}
    </Text>
  )
}
