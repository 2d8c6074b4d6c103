import { texts } from '../../texts/texts.ts'
import { Screen } from '../../ui/screen.tsx'

export function ApprovalsScreen() {
  return <Screen title={texts.nav.approvals}>{null}</Screen>
}
