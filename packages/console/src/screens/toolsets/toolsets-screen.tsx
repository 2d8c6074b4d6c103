import { texts } from '../../texts/texts.ts'
import { Screen } from '../../ui/screen.tsx'

export function ToolsetsScreen() {
  return <Screen title={texts.nav.toolsets}>{null}</Screen>
}
