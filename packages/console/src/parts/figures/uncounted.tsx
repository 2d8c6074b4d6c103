/** Says above figures that they lack records which the gateway has not counted yet; nothing where they are complete. */
import { Alert } from '@mantine/core'
import { texts } from '../../texts/texts.ts'

/** `hint`: what cannot be known meanwhile. */
export function Uncounted({ number, hint }: { readonly number: number; readonly hint?: string }) {
  if (number === 0) return null
  return (
    <Alert color="yellow" role="status">
      {[texts.figures.uncounted({ number }), hint].filter((text) => text !== undefined).join(' ')}
    </Alert>
  )
}
