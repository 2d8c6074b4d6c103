/** A link to where a server leads: in a page of its own, which learns nothing of this one. Its address is there to be read. */
import { Anchor, Text, VisuallyHidden } from '@mantine/core'
import { texts } from '../../texts/texts.ts'
import { safeAddress } from './safe-address.ts'

export function OutsideLink({ to, children }: { to: unknown; children?: string }) {
  const url = safeAddress(to)
  const words = children ?? String(to)
  if (url === undefined)
    return (
      <Text span size="sm" className="breakable">
        {words}
      </Text>
    )
  return (
    <Anchor href={url.href} target="_blank" rel="noopener noreferrer" size="sm" className="breakable">
      {words} <VisuallyHidden component="span">{texts.call.newPage}</VisuallyHidden>
    </Anchor>
  )
}
