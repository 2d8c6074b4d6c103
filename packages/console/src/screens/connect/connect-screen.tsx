import { texts } from '../../texts/texts.ts'
import { Screen } from '../../ui/screen.tsx'

export function ConnectScreen() {
  return <Screen title={texts.nav.connect}>{null}</Screen>
}
