/**
 * A long name with places where a line may break: after `_`, `-`, `/`, `.` and `:`, and before the `@` of an address. Without them, a narrow column breaks it inside a
 * word ("github_list_repositori/es"). What is copied and read aloud is the name itself.
 */
import { Fragment, type ReactNode } from 'react'

/** Names without such a place, and texts with spaces, stay as they are. */
const PLACE = /(?<=[a-z0-9][_\-/.:]+)(?=[a-z0-9])|(?<=[a-z0-9])(?=@)/i

export function withBreaks(content: ReactNode): ReactNode {
  if (typeof content !== 'string' || content.includes(' ')) return content
  const parts = content.split(PLACE)
  if (parts.length === 1) return content
  return parts.map((part, at) => (
    // The same part may come twice; the order never changes.
    <Fragment key={at}>
      {at === 0 ? null : <wbr />}
      {part}
    </Fragment>
  ))
}
