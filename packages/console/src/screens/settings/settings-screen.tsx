import { texts } from '../../texts/texts.ts'
import { Screen } from '../../ui/screen.tsx'

export function SettingsScreen() {
  return <Screen title={texts.nav.settings}>{null}</Screen>
}
