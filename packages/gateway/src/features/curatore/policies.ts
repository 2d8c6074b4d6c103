/** The policy files as `GET /policy` shows them, in the source system's words. */
import type { KeepPolicies } from './keep-policies.ts'

/** The policy file of each toolset, as it is in force. */
export interface Policies {
  /** Undefined where no file speaks of that toolset. */
  show(toolset: string): object | undefined
  /** Read the files now, and ask the backend for its contracts. `problem`: a file could not be read, and the last policy stays. */
  reload(): Promise<{ readonly problem: string | undefined }>
}

/** @param again ask the backend for its contracts */
export const createPolicies = (policies: KeepPolicies, again: () => Promise<void>): Policies => ({
  show(toolset) {
    const profile = policies.profiles().find((item) => item.toolset === toolset)
    if (profile === undefined) return undefined
    const { version, settings, denylist, allowlist, clamps } = profile.policy
    return { version, settings, ...(allowlist === undefined ? { denylist } : { allowlist }), clamps }
  },
  async reload() {
    await policies.reload()
    await again()
    return { problem: policies.problem() }
  },
})
