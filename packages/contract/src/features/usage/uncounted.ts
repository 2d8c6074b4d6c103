/** What figures say of the records that they lack. It stands alone because usage and service levels both say it. */
import { z } from 'zod'

/**
 * Calls and changes that the figures do not contain yet, because the gateway is still counting a large number of older records, as
 * after an update; otherwise 0.
 */
export const Uncounted = z.int()
