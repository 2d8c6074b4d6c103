/** The answer to a sign-in of a person with a second factor. */
import { z } from 'zod'

/** The options of `navigator.credentials`, as JSON. */
export const PasskeyOptions = z.record(z.string(), z.unknown())

/** What a sign-in waits for after its first step. */
export const SecondStep = z.strictObject({
  second_step: z.strictObject({
    challenge: z.string(),
    by: z.array(z.enum(['code', 'passkey'])),
    /** For `navigator.credentials.get`; null where the person has no passkey. */
    passkey: PasskeyOptions.nullable(),
    /** Seconds. */
    expires_in: z.int(),
  }),
})
