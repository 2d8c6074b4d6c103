import { texts } from '../../texts/texts.ts'
import { Screen } from '../../ui/screen.tsx'

export function PlaygroundScreen() {
  return <Screen title={texts.nav.playground}>{null}</Screen>
}
