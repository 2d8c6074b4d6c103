import { texts } from '../../texts/texts.ts'
import { Screen } from '../../ui/screen.tsx'

export function KeysScreen() {
  return <Screen title={texts.nav.keys}>{null}</Screen>
}
