import { texts } from '../../texts/texts.ts'
import { Screen } from '../../ui/screen.tsx'

export function MeScreen() {
  return <Screen title={texts.nav.me}>{null}</Screen>
}
