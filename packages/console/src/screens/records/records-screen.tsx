import { texts } from '../../texts/texts.ts'
import { Screen } from '../../ui/screen.tsx'

export function RecordsScreen() {
  return <Screen title={texts.nav.records}>{null}</Screen>
}
