/**
 * Provisioning at a company's size: 10,000 people and 500 groups of 20 by SCIM, one request each, and then the time of a change of one
 * member of a group, at a running gateway: `node test/load/scim.ts ADDRESS KEY PID [PEOPLE] [GROUPS]`. KEY administers the
 * organization `default`; PID is the gateway's process, whose memory is printed (Linux). Limits of the gateway have to be off.
 */
import { readFileSync } from 'node:fs'
import { createAsk } from '../e2e/peers/people/administrators.ts'
import { createScim, GROUP, patch, tokenFor, USER } from '../e2e/scim/scim-client.ts'

const [address = '', key = '', pid = '', ...sizes] = process.argv.slice(2)
const [people = 10_000, groups = 500] = sizes.map(Number)
const LANES = 4
const MEMBERS = 20
const CHANGES = 200

const memory = () => {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return `${Math.round(Number(kilobytes) / 1024)} MiB`
}
const seconds = (begun: number) => ((performance.now() - begun) / 1000).toFixed(1)

async function inLanes(count: number, work: (at: number) => Promise<void>): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

const scim = createScim(address, 'default', await tokenFor(createAsk({ address }, key), 'default'))
const ids: string[] = []
console.log(`at the start: ${memory()}`)
let begun = performance.now()
await inLanes(people, async (at) => {
  const userName = `person${at}@example.com`
  const made = await scim('POST /Users', {
    schemas: [USER],
    ...{ userName, externalId: `e${at}`, active: true, displayName: `Person ${at}` },
    emails: [{ value: userName, type: 'work', primary: true }],
  })
  if (made.status !== 201) throw new Error(made.text)
  ids.push(String(made.body['id']))
  if (ids.length % (people / 5) === 0) console.log(`${ids.length} people after ${seconds(begun)} s: ${memory()}`)
})
console.log(`${people} people: ${seconds(begun)} s`)
begun = performance.now()
const made: string[] = []
await inLanes(groups, async (at) => {
  const members = Array.from({ length: MEMBERS }, (_, by) => ({ value: ids[(at * MEMBERS + by) % ids.length] }))
  const { body, status, text } = await scim('POST /Groups', { schemas: [GROUP], displayName: `Group ${at}`, members })
  if (status !== 201) throw new Error(text)
  made.push(String(body['id']))
})
console.log(`${groups} groups of ${MEMBERS}: ${seconds(begun)} s, ${memory()}`)
const times: number[] = []
for (let at = 0; at < CHANGES; at++) {
  const value = [{ value: ids[(at * 37) % ids.length] }]
  const from = performance.now()
  const op = at % 2 === 0 ? 'Add' : 'Remove'
  const done = await scim(
    `PATCH /Groups/${made[at % made.length]}?excludedAttributes=members`,
    patch({ op, path: 'members', value }),
  )
  if (done.status !== 204) throw new Error(done.text)
  times.push(performance.now() - from)
}
times.sort((a, b) => a - b)
const at = (share: number) => times[Math.floor(times.length * share)]?.toFixed(1)
console.log(`change of one member: median ${at(0.5)} ms, p95 ${at(0.95)} ms; ${memory()}`)
