/** The accounts that one's own calls use, on a page of their own. */
import { texts } from '../../texts/texts.ts'
import { Screen } from '../../ui/screen.tsx'
import { OwnAccounts } from './own-accounts.tsx'

export function AccountsScreen() {
  return (
    <Screen title={texts.nav.accounts} hint={texts.me.accountsHint}>
      <OwnAccounts />
    </Screen>
  )
}
