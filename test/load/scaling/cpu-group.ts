/**
 * Processes that together may use so much CPU and no more (cgroup v1 `cpu.cfs_quota_us`, v2 `cpu.max`): a machine with as many slow
 * cores as one says, beside a generator that has fast ones. Needs the right to make groups, which root has.
 */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const PERIOD_US = 20_000

export interface CpuGroup extends Disposable {
  /** A command that starts another one within the group. */
  within(command: string, words: readonly string[]): [string, string[]]
}

/** @param cores may be a part of one. Undefined where no group can be made. */
export function makeCpuGroup(name: string, cores: number): CpuGroup | undefined {
  const quota = Math.round(PERIOD_US * cores)
  const [old, unified] = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup']
  const isOld = existsSync(join(old, 'cpu.cfs_quota_us')) || existsSync(join(old, 'cgroup.procs'))
  const folder = join(isOld ? old : unified, name)
  try {
    mkdirSync(folder)
    if (isOld) {
      writeFileSync(join(folder, 'cpu.cfs_period_us'), String(PERIOD_US))
      writeFileSync(join(folder, 'cpu.cfs_quota_us'), String(quota))
    } else writeFileSync(join(folder, 'cpu.max'), `${quota} ${PERIOD_US}`)
  } catch {
    return undefined
  }
  const joining = `echo $$ > '${join(folder, 'cgroup.procs')}' && exec "$@"`
  return {
    within: (command, words) => ['sh', ['-c', joining, 'sh', command, ...words]],
    [Symbol.dispose]() {
      // Its processes have ended by now; what they left is the kernel's.
      try {
        rmdirSync(folder)
      } catch {
        // A group without processes costs nothing.
      }
    },
  }
}
