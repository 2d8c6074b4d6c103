import { texts } from '../../texts/texts.ts'
import { Screen } from '../../ui/screen.tsx'

export function HomeScreen() {
  return <Screen title={texts.nav.home}>{null}</Screen>
}
