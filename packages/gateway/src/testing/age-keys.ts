/** Key pairs of the age format for tests of backups. */
import { generateIdentity, identityToRecipient } from 'age-encryption'

export async function makeAgeKeys(): Promise<{ readonly identity: string; readonly recipient: string }> {
  const identity = await generateIdentity()
  return { identity, recipient: await identityToRecipient(identity) }
}
