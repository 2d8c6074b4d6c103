import { texts } from '../../texts/texts.ts'
import { Screen } from '../../ui/screen.tsx'

export function ToolsScreen() {
  return <Screen title={texts.nav.tools}>{null}</Screen>
}
