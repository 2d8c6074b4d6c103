/**
 * Tests that the check of the floors fails when an import breaks one. Small trees with one violation each are written to a folder
 * of their own and checked by the same checker with the same rules that `npm run check` uses.
 */
// @module-tag long
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, test } from 'vitest'

const root = dirname(import.meta.dirname)
const src = 'packages/gateway/src'

/** The base of every tree: the two packages that all code imports, and one valid file on each floor. */
const sound = {
  'packages/contract/src/index.ts': "import { z } from 'zod'\nexport const Id = z.string()\n",
  'packages/protocol/src/index.ts': "import { Id } from '@toolway/contract'\nexport const Message = Id\n",
  [`${src}/lib/clock.ts`]: "import { Agent } from 'undici'\nexport const agent = Agent\n",
  [`${src}/db/db.ts`]: "export { agent } from '../lib/clock.ts'\n",
  [`${src}/db/embedded-postgres.ts`]: "export { spawn } from 'node:child_process'\n",
  [`${src}/upstreams/children/host.ts`]: "export { spawn } from 'node:child_process'\n",
  [`${src}/policy/decide.ts`]:
    "import type { agent } from '../db/db.ts'\nexport const decide = (given: typeof agent) => given\n",
  [`${src}/call/call.ts`]: "export { decide } from '../policy/decide.ts'\n",
  [`${src}/http/door.ts`]: "export { decide } from '../call/call.ts'\nexport { Message } from '@toolway/protocol'\n",
  [`${src}/config-file.ts`]: "export { decide as read } from './call/call.ts'\n",
  [`${src}/operations/serve.ts`]: "export { decide as serve } from '../policy/decide.ts'\n",
  [`${src}/features/record-streams/streams.rows.ts`]: "export { agent as rows } from '../../db/db.ts'\n",
  [`${src}/features/record-streams/destinations/batch.ts`]: "export { rows as batch } from '../streams.rows.ts'\n",
  [`${src}/features/record-streams/streams.operations.ts`]:
    "export { batch as operations } from './destinations/batch.ts'\nexport { serve } from '../../operations/serve.ts'\n",
  [`${src}/features/record-streams/streams.command.ts`]: "export { agent as command } from '../../lib/clock.ts'\n",
  [`${src}/base/base.ts`]: "export type { agent } from '../db/db.ts'\n",
  [`${src}/features/record-streams/streams.start.ts`]:
    "export { operations as parts } from './streams.operations.ts'\nexport type { agent } from '../../base/base.ts'\n",
  [`${src}/features/record-streams/index.ts`]: "export { operations as streams } from './streams.operations.ts'\n",
  [`${src}/features/events/index.ts`]: "export { decide as events } from '../../call/call.ts'\n",
  [`${src}/features/unlisted/more.ts`]: "export { agent } from '../../lib/clock.ts'\n",
  [`${src}/cli/program.ts`]: "export { command } from '../features/record-streams/streams.command.ts'\n",
  [`${src}/http/request.ts`]:
    "import type { IncomingMessage } from 'node:http'\nexport type Request = IncomingMessage\n",
  [`${src}/testing/gateway.ts`]: "export { spawn } from 'node:child_process'\nexport * from '../http/door.ts'\n",
  [`${src}/vault/seal.test.ts`]:
    "export { decide } from '../policy/decide.ts'\nexport * from '../testing/gateway.ts'\n",
}

/** Each sin: the file that commits it, what it says, and the rule that has to name it. */
const sins: { says: string; file: string; text: string; rule: string }[] = [
  {
    says: 'a noun imports a noun',
    file: `${src}/vault/seal.ts`,
    text: "export { decide } from '../policy/decide.ts'\n",
    rule: 'nouns-are-strangers',
  },
  {
    says: 'a noun imports only a type of another noun',
    file: `${src}/vault/seal.ts`,
    text: "export type { decide } from '../policy/decide.ts'\n",
    rule: 'nouns-are-strangers',
  },
  {
    says: 'a leaf imports the database',
    file: `${src}/lib/backoff.ts`,
    text: "export { agent } from '../db/db.ts'\n",
    rule: 'floor-leaves-looks-down',
  },
  {
    says: 'the database imports a noun',
    file: `${src}/db/rows.ts`,
    text: "export { decide } from '../policy/decide.ts'\n",
    rule: 'floor-db-looks-down',
  },
  {
    says: 'a noun imports a verb',
    file: `${src}/vault/seal.ts`,
    text: "export { decide } from '../call/call.ts'\n",
    rule: 'floor-nouns-looks-down',
  },
  {
    says: 'a kind of connection imports a verb',
    file: `${src}/kinds/http.ts`,
    text: "export { decide } from '../call/call.ts'\n",
    rule: 'floor-kinds-looks-down',
  },
  {
    says: 'a verb imports a door',
    file: `${src}/oauth/add-rule.ts`,
    text: "export { decide } from '#gateway/http/door.ts'\n",
    rule: 'floor-verbs-looks-down',
  },
  {
    says: 'a noun imports what reads the settings',
    file: `${src}/vault/seal.ts`,
    text: "export { read } from '../config-file.ts'\n",
    rule: 'floor-nouns-looks-down',
  },
  {
    says: 'an organization in memory imports a verb',
    file: `${src}/snapshot/snapshot.ts`,
    text: "export { decide } from '../call/call.ts'\n",
    rule: 'floor-snapshot-looks-down',
  },
  {
    says: 'a feature imports a verb',
    file: `${src}/features/record-streams/late.operations.ts`,
    text: "export { decide } from '../../call/call.ts'\n",
    rule: 'floor-features-below-calls-looks-down',
  },
  {
    says: 'a call imports a feature that stands above it',
    file: `${src}/call/late.ts`,
    text: "export { events } from '../features/events/index.ts'\n",
    rule: 'floor-verbs-looks-down',
  },
  {
    says: 'a feature below calls imports one above them',
    file: `${src}/features/record-streams/late.operations.ts`,
    text: "export { events } from '../events/index.ts'\n",
    rule: 'record-streams-knows-its-place',
  },
  {
    says: 'a door passes by the index of a feature',
    file: `${src}/http/shell.ts`,
    text: "export { rows } from '../features/record-streams/streams.rows.ts'\n",
    rule: 'a-feature-has-one-way-in',
  },
  {
    says: 'a door loads a command of a feature',
    file: `${src}/http/shell.ts`,
    text: "export { command } from '../features/record-streams/streams.command.ts'\n",
    rule: 'commands-of-features-are-for-the-program',
  },
  {
    says: 'SQL of a feature imports its decisions',
    file: `${src}/features/record-streams/late.rows.ts`,
    text: "export { batch } from './destinations/batch.ts'\n",
    rule: 'feature-rows-looks-down',
  },
  {
    says: 'a decision of a feature carries out an operation',
    file: `${src}/features/record-streams/destinations/late.ts`,
    text: "export { serve } from '../../../operations/serve.ts'\n",
    rule: 'features-decide-without-operations',
  },
  {
    says: 'a decision of a feature imports its operations',
    file: `${src}/features/record-streams/destinations/late.ts`,
    text: "export { operations } from '../streams.operations.ts'\n",
    rule: 'feature-plain-looks-down',
  },
  {
    says: 'a job of a feature knows how the feature is started',
    file: `${src}/features/record-streams/late.job.ts`,
    text: "export { parts } from './streams.start.ts'\n",
    rule: 'feature-operations-looks-down',
  },
  {
    says: 'the base imports a feature',
    file: `${src}/base/late.ts`,
    text: "export { streams } from '../features/record-streams/index.ts'\n",
    rule: 'floor-base-looks-down',
  },
  {
    says: 'operations of a feature write SQL',
    file: `${src}/features/record-streams/late.operations.ts`,
    text: "export { agent } from '../../db/db.ts'\n",
    rule: 'sql-of-features-is-in-rows',
  },
  {
    says: 'a command of a feature loads the server',
    file: `${src}/features/record-streams/late.command.ts`,
    text: "export { rows } from './streams.rows.ts'\n",
    rule: 'commands-of-features-call-operations',
  },
  {
    says: 'a feature is not in the list',
    file: `${src}/features/unlisted/index.ts`,
    text: "export { agent } from '../../lib/clock.ts'\nexport * from './more.ts'\n",
    rule: 'features-are-known',
  },
  {
    says: 'two files import each other',
    file: `${src}/lib/clock.ts`,
    text: "export { late } from './late.ts'\nexport const agent = 1\n",
    rule: 'no-knots',
  },
  {
    says: 'the protocol imports node:fs',
    file: 'packages/protocol/src/sse.ts',
    text: "export { readFileSync } from 'node:fs'\n",
    rule: 'protocol-runs-anywhere',
  },
  {
    says: 'the protocol imports a package from npm that is not zod',
    file: 'packages/protocol/src/sse.ts',
    text: "export { Agent } from 'undici'\n",
    rule: 'protocol-needs-little',
  },
  {
    says: 'the protocol imports the gateway',
    file: 'packages/protocol/src/sse.ts',
    text: "export { decide } from 'toolway/policy/decide.ts'\n",
    rule: 'protocol-knows-its-packages',
  },
  {
    says: 'the contract imports the protocol',
    file: 'packages/contract/src/ids.ts',
    text: "export { Message } from '@toolway/protocol'\n",
    rule: 'contract-knows-its-packages',
  },
  {
    says: 'a connector imports the gateway',
    file: 'packages/connectors/src/github/github.ts',
    text: "export { decide } from '../../../gateway/src/policy/decide.ts'\n",
    rule: 'connectors-knows-its-packages',
  },
  {
    says: 'a door starts a child',
    file: `${src}/http/shell.ts`,
    text: "export { spawn } from 'node:child_process'\n",
    rule: 'children-are-started-by-the-worker',
  },
  {
    says: 'a noun starts a child without the node: prefix',
    file: `${src}/upstreams/stdio.ts`,
    text: "export { spawn } from 'child_process'\n",
    rule: 'children-are-started-by-the-worker',
  },
  {
    says: 'a verb sends requests past the guard',
    file: `${src}/features/record-streams/late.job.ts`,
    text: "export const fetching = import('undici')\n",
    rule: 'undici-stays-behind-the-guard',
  },
  {
    says: 'a job opens a connection of its own',
    file: `${src}/features/record-streams/late.job.ts`,
    text: "export { request } from 'node:https'\n",
    rule: 'sockets-are-opened-in-few-places',
  },
  {
    says: 'a noun looks a name up by itself',
    file: `${src}/vault/seal.ts`,
    text: "export { lookup } from 'dns/promises'\n",
    rule: 'sockets-are-opened-in-few-places',
  },
  {
    says: 'a door brings a WebSocket client',
    file: `${src}/http/shell.ts`,
    text: "export { WebSocket } from 'ws'\n",
    rule: 'clients-of-other-protocols-are-few',
  },
  {
    says: 'a job uses a library that fetches',
    file: `${src}/features/record-streams/late.job.ts`,
    text: "export { createRemoteJWKSet } from 'jose'\n",
    rule: 'libraries-that-fetch-are-few',
  },
  {
    says: 'production code imports what tests lean on',
    file: `${src}/cli/doctor.ts`,
    text: "export { decide } from '../testing/gateway.ts'\n",
    rule: 'testing-is-for-tests',
  },
  {
    says: 'an import leads nowhere',
    file: `${src}/cli/doctor.ts`,
    text: "export { decide } from '../call/gone.ts'\n",
    rule: 'every-import-resolves',
  },
  {
    says: 'a package of the workspace is not there',
    file: `${src}/cli/doctor.ts`,
    text: "export { Message } from '@toolway/gone'\n",
    rule: 'every-import-resolves',
  },
]

async function writeTree(files: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'floors-'))
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  const link = async (to: string, path: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await symlink(to, join(folder, path))
  }
  await write(
    'tsconfig.json',
    '{ "compilerOptions": { "module": "nodenext", "allowImportingTsExtensions": true, "noEmit": true } }',
  )
  await write('packages/contract/package.json', '{ "name": "@toolway/contract", "exports": { ".": "./src/index.ts" } }')
  await write('packages/protocol/package.json', '{ "name": "@toolway/protocol", "exports": { ".": "./src/index.ts" } }')
  await write(
    'packages/gateway/package.json',
    '{ "name": "toolway", "exports": { "./*": "./src/*" }, "imports": { "#gateway/*": "./src/*" } }',
  )
  for (const [name, at] of [
    ['@toolway/contract', 'contract'],
    ['@toolway/protocol', 'protocol'],
    ['toolway', 'gateway'],
  ]) {
    await link(join(folder, 'packages', at ?? ''), `node_modules/${name}`)
  }
  for (const name of ['zod', 'undici', 'ws', 'jose'])
    await link(join(root, 'node_modules', name), `node_modules/${name}`)
  for (const [path, text] of Object.entries(files)) await write(path, text)
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}

/** Checks folders, one after another, in one process that has loaded the checker. */
function startCruising() {
  const child = spawn(process.execPath, [join(root, 'test/floors.script.mjs'), join(root, 'floors.config.mjs')], {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async cruise(folder: string): Promise<{ code: number; printed: string }> {
      child.stdin.write(`${folder}\n`)
      const { value, done } = await answers.next()
      if (done === true) throw new Error('the checker ended')
      return JSON.parse(value) as { code: number; printed: string }
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await once(child, 'exit')
    },
  }
}

describe('the check of the floors', () => {
  let checker: ReturnType<typeof startCruising>
  beforeAll(() => void (checker = startCruising()))
  afterAll(() => checker[Symbol.asyncDispose]())

  test('passes a tree in which every import looks down', async ({ expect }) => {
    await using tree = await writeTree(sound)
    const { code, printed } = await checker.cruise(tree.folder)
    expect(printed).toContain('no dependency violations found')
    expect(code).toBe(0)
  })

  test.for(sins)('fails when $says', async ({ file, text, rule }, { expect }) => {
    const other = { [`${src}/lib/late.ts`]: "export { agent as late } from './clock.ts'\n" }
    await using tree = await writeTree({ ...sound, ...other, [file]: text })
    const { code, printed } = await checker.cruise(tree.folder)
    expect(printed).toContain(`error ${rule}: `)
    expect(printed).toContain(file)
    expect(code).toBeGreaterThan(0)
  })
})
