/** A guarantee that does not hold, in one sentence for whoever runs the gateway. */
import type { Guarantee } from './driver.ts'

export const MISSING_WORDS: Readonly<Record<Guarantee, string>> = {
  files: 'A server can read files of this machine that are open to every user.',
  processes: 'A server sees the other processes of this machine, and can leave some behind.',
  network: 'A server reaches ports of this machine and its private networks.',
  privileges: 'A server runs with the rights of the gateway.',
  'system calls': 'No filter refuses calls to the kernel that servers do not need.',
  memory: 'Only the watch of the gateway bounds memory, every two seconds.',
  'process count': 'Only the watch of the gateway bounds the number of processes, every two seconds.',
  disk: 'Nothing bounds what a server writes.',
}
