import { texts } from '../../texts/texts.ts'
import { Screen } from '../../ui/screen.tsx'

export function PeopleScreen() {
  return <Screen title={texts.nav.people}>{null}</Screen>
}
