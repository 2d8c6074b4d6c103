import { expect, test } from 'vitest'
import type { Snapshot } from './snapshot.ts'
import { createTellChanges } from './tell-changes.ts'

const NO_RULES = {}

/** Only what is compared. */
const snapshot = (more: object = {}, active = true) =>
  ({
    organization: { id: 'org_1', active },
    connections: [{ id: 'con_1', enabled: true }],
    catalogs: new Map([
      ['con_1', { tools: [{ name: 'a' }], prompts: [], resources: [], templates: [], held: [], names: [] }],
    ]),
    toolsets: [],
    states: [],
    rules: NO_RULES,
    ...more,
  }) as unknown as Snapshot

function heardOf(...all: Snapshot[]): string[] {
  const heard: string[] = []
  const look = createTellChanges((organization, connection, kind) =>
    heard.push(`${organization} ${connection} ${kind}`),
  )
  for (const one of all) look([one])
  return heard
}

test('who listens hears of a tool that was switched, and of a rule, and of nothing else', () => {
  const tools = ['org_1 con_1 tools']
  expect(heardOf(snapshot(), snapshot())).toEqual([])
  expect(heardOf(snapshot(), snapshot({ states: [{ connection_id: 'con_1', tool: 'a', enabled: false }] }))).toEqual(
    tools,
  )
  expect(heardOf(snapshot(), snapshot({ rules: {} }))).toEqual(tools)
  expect(
    heardOf(snapshot(), snapshot({ connections: [{ id: 'con_1', enabled: true, tools_default: false }] })),
  ).toEqual(tools)
})

test('who listens hears that an organization is not active any more, and that it is again', () => {
  // It has no prompts and no resources: of these nothing is another.
  const all = ['org_1 con_1 tools']
  expect(heardOf(snapshot(), snapshot({}, false))).toEqual(all)
  expect(heardOf(snapshot({}, false), snapshot())).toEqual(all)
})

test('a first list that is empty is told to nobody', () => {
  const unknown = snapshot({ catalogs: new Map() })
  expect(heardOf(unknown, snapshot())).toEqual(['org_1 con_1 tools'])
  expect(heardOf(unknown, unknown)).toEqual([])
})
