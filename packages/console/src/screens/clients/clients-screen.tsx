import { texts } from '../../texts/texts.ts'
import { Screen } from '../../ui/screen.tsx'

export function ClientsScreen() {
  return <Screen title={texts.nav.clients}>{null}</Screen>
}
