import { mkdtempSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Fault, type Role } from '@toolway/contract'
import { afterAll, describe, expect, test } from 'vitest'
import { partsOf } from '../../kinds/kinds.ts'
import { programOf } from '../../kinds/stdio/stdio.ts'
import { permittedParts } from './permitted-parts.ts'

const home = mkdtempSync(join(tmpdir(), 'toolway-roots-'))
mkdirSync(join(home, 'acme'))
mkdirSync(join(home, 'other'))
symlinkSync(join(home, 'other'), join(home, 'acme', 'link'))
afterAll(() => rmSync(home, { recursive: true }))

const ROOTS = [join(home, '{organization}')]

/** The code and sentence of the fault; undefined where the paths may be allowed. */
function refused(role: Role, roots: string[], wanted: string[], held: string[] = []) {
  const wire = programOf('node', [], {}, [], { allow_paths: wanted })
  const words = { words: { revision: 'auto', timeout: 30, wire }, moved: false, keeps: false } as const
  const organization = { slug: 'acme', settings: { allow_processes: true }, egress: { networks: [], hosts: [] } }
  try {
    const before = partsOf({ ...words.words, wire: programOf('node', [], {}, [], { allow_paths: held }) })
    permittedParts({ role, organization, roots }, words, { wanted: undefined, held: before })
    return undefined
  } catch (thrown) {
    return thrown instanceof Fault ? `${thrown.code} ${thrown.message}` : thrown
  }
}

describe('a path of a connection', () => {
  test('is allowed by the platform alone where the installation names no folders', () => {
    expect(refused('platform_admin', [], ['/srv/a'])).toBeUndefined()
    expect(refused('tenant_admin', [], ['/srv/a'])).toMatch(/^process\.path The path \/srv\/a .*TOOLWAY_SANDBOX_ROOTS/)
    expect(refused('tenant_admin', [], [])).toBeUndefined()
  })

  test('that the connection has stays, and may be narrowed but not widened', () => {
    expect(refused('tenant_admin', [], ['/srv/a'], ['/srv/a', '/srv/b'])).toBeUndefined()
    expect(refused('tenant_admin', [], ['/srv/a:ro'], ['/srv/a'])).toBeUndefined()
    expect(refused('tenant_admin', [], ['/srv/a'], ['/srv/a:ro'])).toMatch(/^process\.path/)
    expect(refused('tenant_admin', ROOTS, ['/srv/a'], ['/srv/a'])).toBeUndefined()
  })

  test.each(['platform_admin', 'tenant_admin'] as const)('lies below one of the folders, for %s', (role) => {
    for (const path of [join(home, 'acme'), join(home, 'acme/new:ro')])
      expect(refused(role, ROOTS, [path])).toBeUndefined()
    // A folder of the installation that is a link.
    expect(refused(role, [join(home, 'acme/link')], [join(home, 'acme/link/new')])).toBeUndefined()
    for (const path of [home, join(home, 'other'), join(home, 'acme/link'), join(home, 'acme/../other'), '/etc:ro'])
      expect(refused(role, ROOTS, [path]), path).toMatch(/^process\.path .* lists for this organization \(\S+\/acme\)/)
  })
})
