/** A guarantee that does not hold, in one sentence for whoever runs the gateway. */
import type { Guarantee } from './driver.ts'

export const MISSING_WORDS: Readonly<Record<Guarantee, string>> = {
  files: 'A server can read files on this machine that every user can read.',
  processes: 'A server can see other processes on this machine, and can leave processes behind.',
  network: 'A server can reach ports on this machine and its private networks.',
  privileges: 'A server runs with the gateway’s permissions.',
  'system calls': 'System calls that servers do not need are not filtered.',
  memory: 'Memory is limited only by a check that the gateway makes every two seconds.',
  'process count': 'The number of processes is limited only by a check that the gateway makes every two seconds.',
  disk: 'Disk usage is not limited.',
}
