/**
 * A name or an address on one line: a long one would make rows of four lines, of which few fit on a screen. The whole is shown on hover.
 */
import { Text } from '@mantine/core'

export const OneLine = ({ text }: { text: string }) => (
  <Text inherit truncate="end" title={text}>
    {text}
  </Text>
)
