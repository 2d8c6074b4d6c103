/**
 * Every operation of the admin interface × every caller × their own organization, the other one, and one that does not exist.
 *
 * What must be answered is derived from the operation's needs and from the matrix of roles. The other organization answers as one
 * that does not exist, to the byte; and nothing that is somebody else's stands in any answer.
 */
// @module-tag long
import type { Operation } from '@toolway/contract/admin'
import { expect, test } from 'vitest'
import { OPERATIONS } from '../../packages/gateway/src/app/operations.ts'
import { IS_SHORT } from '../setup/form.ts'
import { describeEachTown } from './each-town.ts'
import { aboutOf, roleAt, verdictOf } from './expected.ts'
import { leaksIn, type Markers } from './leaks.ts'
import { inBatches, request, sameOf, type Answered, type Asked } from './request.ts'
import { SAMPLES, type Sample } from './samples.ts'
import { otherOf, SIDES, type Side } from './sides.ts'
import { createTally, type Tally } from './tally.ts'
import type { Caller, Names, Town } from './town.ts'

/** The short form asks each operation once as each principal in each organization; the long one also in one that is not there. */
const TARGETS = IS_SHORT ? SIDES : ([...SIDES, 'missing'] as const)
const NO_SHAPE = { 'no shape': 'has this field' }

test('every operation has a sample, and every sample an operation', () => {
  const ids = OPERATIONS.map(({ operation }) => operation.id)
  expect(ids.filter((id) => !Object.hasOwn(SAMPLES, id))).toEqual([])
  expect(Object.keys(SAMPLES).filter((id) => !ids.includes(id))).toEqual([])
})

test('what lifts the limits of a key says of its own caller alone', () => {
  const lifted = OPERATIONS.filter(({ operation }) => operation.harmless)
  expect(lifted.map(({ operation }) => operation.needs.of)).toEqual(lifted.map(() => 'signed-in'))
})

/** `organization` says where the path leads, `things` what is asked for there. */
function askedOf(
  { method, path }: Operation,
  { params, query, body }: Sample,
  organization: string,
  things: Names,
): Asked {
  const named: Record<string, string> = { organization, ...params?.(things) }
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(named[name] ?? ''))
  const words = new URLSearchParams(query?.(things)).toString()
  const said = body?.(things)
  return { method, path: words === '' ? filled : `${filled}?${words}`, ...(said === undefined ? {} : { body: said }) }
}

/** One that may, and would change what others lean on, is let in and told that its body does not fit. */
const held = (asked: Asked, { repeatable }: Sample): Asked =>
  repeatable === false ? { ...asked, body: NO_SHAPE } : asked

/** Whether a caller who may was let in, and answered as its sample says. */
function isIn({ status, fault }: Answered, operation: Operation, { repeatable, answers }: Sample): boolean {
  if (repeatable === false) return status === 422 && fault === 'body.shape'
  const expected: readonly (number | string)[] = answers ?? [operation.status]
  return expected.includes(status) || (fault !== undefined && expected.includes(fault))
}

function isRefused({ status, fault, headers }: Answered, verdict: ReturnType<typeof verdictOf>): boolean {
  if (verdict === '401') return status === 401 && /^(key|token)\./.test(fault ?? '') && 'www-authenticate' in headers
  return verdict !== 'let in' && status === verdict.status && fault === verdict.fault
}

/** One operation, tried in one town. */
interface Trial {
  readonly town: Town
  readonly operation: Operation
  readonly sample: Sample
  readonly markers: Markers
  readonly tally: Tally
}

async function ask({ town, markers, tally }: Trial, caller: Caller, asked: Asked): Promise<Answered> {
  const answer = await request(town.gateway.address, caller, asked)
  const leaks = leaksIn(answer, caller, markers, JSON.stringify(asked))
  tally.check(leaks.length === 0, `${caller.name} asks ${asked.path} and reads ${leaks.join(', ')}`)
  return answer
}

/** An answer by who was asked for it and where. */
type Answers = Map<string, Answered>
const placeOf = ({ name }: Caller, target: Side | 'missing', by: 'organization' | 'organizationId') =>
  `${name} ${target} ${by}`

/** Everybody, everywhere: let in or refused as the matrix says. Returns the answers to those who asked in earnest, by slug. */
async function tryEverybody(trial: Trial): Promise<Answers> {
  const { town, operation, sample, tally } = trial
  const answers: Answers = new Map()
  const tries = town.callers.flatMap((caller) => TARGETS.map((target) => ({ caller, target })))
  await inBatches(tries, async ({ caller, target }) => {
    const names = town.names[aboutOf(operation, caller, target)]
    const earnest = askedOf(operation, sample, names.organization, names)
    const answer = await ask(trial, caller, held(earnest, sample))
    if (sample.repeatable !== false) answers.set(placeOf(caller, target, 'organization'), answer)
    const verdict = verdictOf(operation, caller, target)
    const isRight = verdict === 'let in' ? isIn(answer, operation, sample) : isRefused(answer, verdict)
    const { status, fault, text } = answer
    const said = `${status} ${fault} ${text.slice(0, 200)}`
    tally.check(isRight, `${caller.name} at ${target}: ${said} in place of ${JSON.stringify(verdict)}`)
  })
  return answers
}

/**
 * Where somebody has no role, what is there answers as what is not: by slug and by id, asked for in earnest. What was asked for before is
 * not asked for again.
 */
function compareOther(trial: Trial, answers: Answers): Promise<void> | undefined {
  const { town, operation, sample, tally } = trial
  if (operation.needs.of !== 'organization') return undefined
  // Where nothing is named there is nothing to be compared: it is one's own.
  if (operation.needs.by === 'caller' && !operation.path.includes('{')) return undefined
  const tries = town.callers
    .filter(({ platform }) => !platform)
    .map((caller) => ({ caller, sides: SIDES.filter((side) => roleAt(caller, side) === undefined) }))
  return inBatches(tries, async ({ caller, sides }) => {
    for (const by of ['organization', 'organizationId'] as const) {
      const answerAt = async (target: Side | 'missing') => {
        const there = town.names[target]
        const isSame = aboutOf(operation, caller, target) === target
        const answer = isSame ? answers.get(placeOf(caller, target, by)) : undefined
        return answer ?? ask(trial, caller, askedOf(operation, sample, there[by], there))
      }
      if (sides.length === 0) continue
      const unknown = await answerAt('missing')
      for (const side of sides) {
        const known = await answerAt(side)
        tally.check(same(known, unknown), `${caller.name} can tell ${side} by its ${by}: ${known.text} ${unknown.text}`)
      }
    }
  })
}

/** In one's own organization, what is the other's answers as what nobody has. */
const compareThings = (trial: Trial) => {
  const { town, operation, sample, tally } = trial
  const { needs } = operation
  if (needs.of === 'platform' || needs.of === 'anyone' || (needs.of === 'organization' && needs.by === 'connection'))
    return undefined
  const tries = SIDES.flatMap((side) => ['', ' key'].map((kind) => ({ side, name: `tenant_admin${kind} of ${side}` })))
  return inBatches(tries, async ({ side, name }) => {
    const caller = town.caller(name)
    const asked = (things: Names) => askedOf(operation, sample, side, things)
    const [own, foreign, none] = [town.names[side], town.names[otherOf(side)], town.names.missing]
    // An object identified by name has the same name in both organizations, so the request is for the caller's own.
    if (JSON.stringify(asked(own)) === JSON.stringify(asked(foreign))) return
    const [known, unknown] = [await ask(trial, caller, asked(foreign)), await ask(trial, caller, asked(none))]
    const isSame = same(known, unknown, ...idsOf(foreign), ...idsOf(none))
    tally.check(isSame, `${name} can tell a thing of ${otherOf(side)}: ${known.text} ${unknown.text}`)
    tally.check(known.status >= 400, `${name} was let to a thing of ${otherOf(side)}: ${known.text}`)
  })
}

const same = (one: Answered, other: Answered, ...ids: readonly string[]): boolean =>
  JSON.stringify(sameOf(one, ...ids)) === JSON.stringify(sameOf(other, ...ids))

const idsOf = ({ row, ...names }: Names): string[] => [
  ...Object.values(names),
  ...['keys', 'connections', 'toolsets'].map(row),
]

const markersIn = async (town: Town): Promise<Markers> => {
  const of = (side: Side) => town.markers(side)
  return { default: await of('default'), zebrafish: await of('zebrafish') }
}

describeEachTown('every operation, for everybody, everywhere', {}, (town) => {
  const all = OPERATIONS.map(({ operation }) => [operation.id, operation] as const)
  test.for(all)('%s', async ([id, operation], context) => {
    const sample = SAMPLES[id] ?? expect.fail(`${id} has no row in test/isolation/samples.ts`)
    const tally = createTally(context)
    const trial = { town: town(), operation, sample, markers: await markersIn(town()), tally }
    const answers = await tryEverybody(trial)
    if (!IS_SHORT) await compareOther(trial, answers)
    await compareThings(trial)
    tally.close()
  })
})
