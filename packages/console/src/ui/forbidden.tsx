/** A screen that the user may not see: its title, and why. */
import { Empty } from './empty.tsx'
import { Screen } from './screen.tsx'

interface ForbiddenProps {
  readonly screen: string
  readonly title: string
  readonly hint: string
}

export const Forbidden = ({ screen, title, hint }: ForbiddenProps) => (
  <Screen title={screen}>
    <Empty title={title} hint={hint} icon="lock" />
  </Screen>
)
