import { texts } from '../../texts/texts.ts'
import { Screen } from '../../ui/screen.tsx'

export function RulesScreen() {
  return <Screen title={texts.nav.rules}>{null}</Screen>
}
