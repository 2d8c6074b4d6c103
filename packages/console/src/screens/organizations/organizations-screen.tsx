import { texts } from '../../texts/texts.ts'
import { Screen } from '../../ui/screen.tsx'

export function OrganizationsScreen() {
  return <Screen title={texts.nav.organizations}>{null}</Screen>
}
