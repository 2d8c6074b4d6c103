import { texts } from '../../texts/texts.ts'
import { Screen } from '../../ui/screen.tsx'

export function UsageScreen() {
  return <Screen title={texts.nav.usage}>{null}</Screen>
}
