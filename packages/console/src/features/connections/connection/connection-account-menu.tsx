/** The actions on one account, depending on its owner. */
import { ActionIcon, Menu } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { changeAccount, type Account, type Connection } from '@toolway/contract/admin'
import { call } from '../../../data/call.ts'
import { useMay, useMe } from '../../../data/me.ts'
import { useUrlState } from '../../../data/url-state.ts'
import type { OAuthRedirect } from '../../../parts/account/use-oauth-redirect.ts'
import { texts } from '../../../texts/texts.ts'
import { Icon } from '../../../ui/icon.tsx'
import { sayDone } from '../../../ui/say.tsx'
import { AccountState } from './connection-account-state.ts'
import { askAgain, usePath } from './connection-ways.tsx'
import { sayProblem } from '../../../parts/say-problem.ts'

const t = texts.connection.accounts

export function AccountMenu({
  connection,
  account,
  linking,
}: {
  connection: Connection
  account: Account
  linking: OAuthRedirect
}) {
  const [, set] = useUrlState(AccountState)
  const path = usePath(connection)
  const queries = useQueryClient()
  const { user } = useMe()
  const administers = useMay('connector_update')
  const own = account.user_id !== null && account.user_id === user?.id
  const prefer = useMutation({
    mutationFn: () => call(changeAccount, { path: { ...path, account: account.id }, body: { is_default: true } }),
    onSuccess: () => {
      sayDone(t.preferred({ name: account.account }))
      return askAgain(queries)
    },
    onError: sayProblem,
  })
  if (!own && !administers) return null
  // A user cannot connect an account for another user: the account would be their own.
  const mayConnect = own || account.owner === 'organization'
  const open = (dialog: 'rename' | 'end' | 'key') => set({ dialog, account: account.id }, 'push')
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t.menu({ name: account.name ?? account.account })}>
          <Icon name="dots" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {mayConnect ? (
          <Menu.Item
            leftSection={<Icon name="refresh" />}
            onClick={() =>
              account.kind === 'key'
                ? open('key')
                : linking.depart({
                    owner: account.owner,
                    account: account.account,
                    ...(account.kind === 'oauth' ? { replaces: account.id } : {}),
                  })
            }
          >
            {account.kind === 'key' ? t.newKey : t.again}
          </Menu.Item>
        ) : null}
        {account.kind === 'broker' ? null : (
          <Menu.Item leftSection={<Icon name="pencil" />} onClick={() => open('rename')}>
            {t.rename}
          </Menu.Item>
        )}
        {account.kind === 'broker' || account.is_default ? null : (
          <Menu.Item leftSection={<Icon name="star" />} onClick={() => prefer.mutate()}>
            {t.prefer}
          </Menu.Item>
        )}
        <Menu.Item color="red" leftSection={<Icon name="trash" />} onClick={() => open('end')}>
          {t.end}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
