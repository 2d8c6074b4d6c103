/** The operation that shows the settings in force and the state of the sandbox; what is secret was masked where the settings are known. */
import * as shapes from '@toolway/contract/admin'
import type { SandboxState } from '../../upstreams/children/sandbox/choose-driver.ts'
import { MISSING_WORDS } from '../../upstreams/children/sandbox/guarantee-words.ts'
import { servePlatform, type Served } from './serve.operations.ts'

export const settingOperations: readonly Served[] = [
  servePlatform(shapes.listSettings, async ({ parts: { runtime } }) => ({
    settings: [...runtime.settings],
    sandbox: sandboxWords(await runtime.sandbox()),
  })),
]

const sandboxWords = ({ policy, driver, guarantees, missing, reasons, refusal }: SandboxState) => ({
  ...{ policy, driver, guarantees: [...guarantees], reasons: [...reasons], refusal: refusal ?? null },
  missing: missing.map((guarantee) => ({ guarantee, consequence: MISSING_WORDS[guarantee] })),
})
