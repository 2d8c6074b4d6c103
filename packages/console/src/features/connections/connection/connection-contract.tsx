/** The settings of a contract backend, and its functions that are not offered as tools, with the reason. */
import { Stack } from '@mantine/core'
import type { Connection } from '@toolway/contract/admin'
import { texts } from '../../../texts/texts.ts'
import { ConnectionOwnForm } from './connection-own-form.tsx'
import { LeftOut } from './left-out.tsx'

export const ConnectionContract = ({ connection }: { connection: Connection }) => (
  <Stack gap="lg">
    <ConnectionOwnForm connection={connection} />
    <LeftOut connection={connection} hint={texts.connection.contract.leftOutHint} />
  </Stack>
)
