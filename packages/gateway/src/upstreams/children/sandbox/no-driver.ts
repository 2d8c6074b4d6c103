/** The driver `none`: a child as the gateway's user, in a process group of its own. It guarantees nothing. */
import { GUARANTEES, type SandboxDriver } from './driver.ts'

export const createNoDriver = (): SandboxDriver => ({
  name: 'none',
  check: () => Promise.resolve({ ready: true, guarantees: [] }),
  confine: ({ command, args, env, cwd }) => ({ command, args, env, cwd, without: GUARANTEES }),
})
