import { texts } from '../../texts/texts.ts'
import { Screen } from '../../ui/screen.tsx'

export function RuntimeScreen() {
  return <Screen title={texts.nav.runtime}>{null}</Screen>
}
