/**
 * The operating system's keychain: macOS Keychain, Windows Credential Manager, the Secret Service of a Linux desktop.
 *
 * Loaded only where it is asked for. On Linux never the kernel's own keyring, which is empty after the next boot. A keychain that
 * is locked may ask a person who is not there, so each question has an end.
 */
export interface Keychain {
  /** Undefined when it holds nothing under that name. Throws when it cannot be asked. */
  read(account: string): Promise<string | undefined>
  write(account: string, text: string): Promise<void>
  remove(account: string): Promise<void>
}

const SERVICE = 'toolway'
const PATIENCE_MS = 20_000

export function createKeychain(): Keychain {
  const entry = async (account: string) => {
    const { AsyncEntry } = await import('@napi-rs/keyring')
    return new AsyncEntry(SERVICE, account, { linux: { store: 'secret-service' } })
  }
  const patience = () => AbortSignal.timeout(PATIENCE_MS)
  return {
    read: async (account) => (await (await entry(account)).getPassword(patience())) ?? undefined,
    write: async (account, text) => (await entry(account)).setPassword(text, patience()),
    async remove(account) {
      await (await entry(account)).deleteCredential(patience())
    },
  }
}
