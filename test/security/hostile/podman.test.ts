/**
 * The hostile server in a container of Podman. TEST_CONTAINER_IMAGE names an image that this machine has (test/README.md says how to
 * make one); without it this says so and proves nothing.
 */
// @module-tag long
import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const image = process.env['TEST_CONTAINER_IMAGE']
if (image === undefined)
  console.warn('TEST_CONTAINER_IMAGE is not set: the hostile server does not run in Podman here.')

test.runIf(image !== undefined)('every attempt of the hostile server fails in a container of Podman', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'toolway-podman-'))
  await chmod(folder, 0o755)
  try {
    const script = join(import.meta.dirname, 'hostile-run.script.ts')
    const words = ['--disable-warning=ExperimentalWarning', script, 'podman', folder, 'public']
    const { stdout } = await promisify(execFile)(process.execPath, words, { maxBuffer: 10_000_000 })
    const got = JSON.parse(stdout) as Record<string, string>
    expect(got).toMatchObject({
      driver: 'podman',
      missing: [],
      'own folder': 'written',
      'vault key': 'failed: ENOENT',
      'data folder': 'children',
      'other folder': 'failed: ENOENT',
      'write system': 'failed: EROFS',
      loopback: 'ECONNREFUSED, HTTP/1.1 403 Refused',
      metadata: 'ENETUNREACH, HTTP/1.1 403 Refused',
      'data folder is whole': 'children vault.key',
      'escaped after': 0,
      'one file': 'failed: EFBIG',
      'many files': 'ended: TOO_MUCH_DISK',
      victim: { code: 0, reason: 'STOPPED' },
    })
    expect(got['write data folder']).toMatch(/^failed: E(?:ACCES|ROFS)/)
    for (const seen of ['environ of others', 'words of gateway']) expect(got[seen]).toMatch(/^nothing among/)
    for (const bound of ['NoNewPrivs:\t1', 'CapEff:\t0000000000000000', 'Seccomp:\t2'])
      expect(got['status']).toContain(bound)
    for (const call of ['ptrace', 'unshare', 'keyctl', 'bpf', 'io_uring', 'userfaultfd', 'mount', 'process_vm_readv'])
      expect(got[`call ${call}`], call).toMatch(/^(?:1|38)$/)
    expect(Number(got['fork'])).toBeLessThan(160)
    expect(got['memory']).toMatch(/^ended/)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
