/** Something opened with a credential that may have been renewed meanwhile: once more where its server refuses the one before. */
import { accessRefusedOf } from './access-refused.ts'
import type { OpenedCredential, CredentialSource } from './upstream.ts'

export async function withCredential<T>(
  presents: CredentialSource | undefined,
  work: (credential: OpenedCredential | undefined) => Promise<T>,
): Promise<T> {
  if (presents === undefined) return work(undefined)
  const credential = await presents.open()
  try {
    return await work(credential)
  } catch (thrown) {
    const refused = accessRefusedOf(thrown)
    if (refused === undefined || !(await presents.refused(credential, refused.challenge, refused.status))) throw thrown
    return work(await presents.open())
  }
}
