/** The open dialog and its account, in the address. */
import { z } from 'zod'

export const AccountState = z.object({
  dialog: z.enum(['', 'key', 'rename', 'end']).default(''),
  account: z.string().default(''),
})
