import { texts } from '../../texts/texts.ts'
import { Screen } from '../../ui/screen.tsx'

export function UsersScreen() {
  return <Screen title={texts.nav.users}>{null}</Screen>
}
