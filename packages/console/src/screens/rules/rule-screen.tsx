import { texts } from '../../texts/texts.ts'
import { Screen } from '../../ui/screen.tsx'

export function RuleScreen() {
  return <Screen title={texts.nav.rules}>{null}</Screen>
}
