/** The policy files as `GET /policy` shows them, in the source system's words. */
import type { Policies } from '../../../http/tools/policy-door.ts'
import type { KeepPolicies } from './keep-policies.ts'

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
