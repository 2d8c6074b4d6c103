/** The systemd unit: systemd's own checks accept it, and call what it leaves open no more than "OK". */
import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const unit = join(import.meta.dirname, '../../deploy/systemd/toolway.service')
/** Tenths of systemd's exposure level; 10.0 is no protection at all. */
const MOST_EXPOSURE = 35

/** Of bubblewrap, when it confines a stdio server without privileges. */
const CALLS = ['clone', 'unshare', 'mount', 'umount2', 'pivot_root', 'capset', 'prctl']

const analyzes = spawnSync('systemd-analyze', ['--version']).status === 0
if (!analyzes) console.warn('service.test.ts runs without systemd-analyze: the unit is read, and not verified.')

test('the unit starts the published command as a user of its own, and waits for calls when it stops', async () => {
  const text = await readFile(unit, 'utf8')
  const lines = text.split('\n')
  const has = [
    'User=toolway',
    'StateDirectoryMode=0700',
    'NoNewPrivileges=yes',
    'ProtectSystem=strict',
    'KillMode=mixed',
  ]
  expect(lines).toEqual(expect.arrayContaining([...has, 'ExecStart=/opt/toolway/node_modules/.bin/toolway start']))
  expect(text).not.toMatch(/^Environment=.*(?:PASSWORD|_KEY=|DATABASE_URL=)/m)
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1])).toBeGreaterThanOrEqual(90)
})

test.runIf(analyzes)('the unit leaves bubblewrap the system calls that it needs', async () => {
  const lines = (await readFile(unit, 'utf8')).split('\n')
  const allowed =
    lines
      .find((line) => line.startsWith('SystemCallFilter='))
      ?.split('=')[1]
      ?.split(' ') ?? []
  const sets = allowed.filter((name) => name.startsWith('@'))
  const callsOf = (set: string): string[] => {
    const { stdout } = spawnSync('systemd-analyze', ['syscall-filter', '--no-pager', set], { encoding: 'utf8' })
    const names = stdout.split('\n').map((line) => line.trim())
    return names
      .filter((name) => /^[@\w]+$/.test(name))
      .flatMap((name) => (name.startsWith('@') && name !== set ? callsOf(name) : [name]))
  }
  const calls = [...allowed, ...sets.flatMap(callsOf)]
  for (const call of CALLS) expect(calls, call).toContain(call)
  expect(lines.filter((line) => /^Protect(?:KernelTunables|KernelLogs|Proc)=/.test(line))).toEqual([])
})

test.runIf(analyzes)('systemd finds no mistake in it, and rates its exposure as low', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'toolway-unit-'))
  const copy = join(folder, 'toolway.service')
  // Only what is installed may be named there: the command, and the page of the documentation.
  await writeFile(copy, (await readFile(unit, 'utf8')).replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true'))
  const verify = spawnSync('systemd-analyze', ['verify', '--man=no', copy], { encoding: 'utf8' })
  expect({ code: verify.status, said: verify.stderr }).toEqual({ code: 0, said: '' })
  const words = ['security', '--offline=true', '--no-pager', `--threshold=${MOST_EXPOSURE}`, copy]
  const security = spawnSync('systemd-analyze', words, { encoding: 'utf8' })
  expect(security.status, security.stdout + security.stderr).toBe(0)
  await rm(folder, { recursive: true })
})
