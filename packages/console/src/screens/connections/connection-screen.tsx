import { texts } from '../../texts/texts.ts'
import { Screen } from '../../ui/screen.tsx'

export function ConnectionScreen() {
  return <Screen title={texts.nav.connections}>{null}</Screen>
}
