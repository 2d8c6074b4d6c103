import { Fault } from '@toolway/contract'
import { describe, expect, test } from 'vitest'
import { createCallIntake, type CallIntake, type CallPlace, type IntakeBounds, type ShedReason } from './call-intake.ts'

const WIDE: IntakeBounds = { inFlight: 10_000, waiting: 10_000, wait: 1_000, bytes: 1_000_000 }

/** An intake whose clock and whose turns of the event loop the test moves. */
function fixture(bounds: Partial<IntakeBounds> = {}) {
  const time = { now: 0 }
  const shed: ShedReason[] = []
  const turns: (() => void)[] = []
  const intake = createCallIntake({
    bounds: { ...WIDE, ...bounds },
    now: () => time.now,
    nextTurn: (run) => turns.push(run),
    onShed: (reason) => void shed.push(reason),
  })
  return {
    intake,
    time,
    shed,
    /** One turn of the event loop, and what it settles. */
    async turn(): Promise<void> {
      for (const run of turns.splice(0)) {
        run()
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
}

type Begun = ReturnType<CallIntake['begin']>

function attempt(work: () => Begun): Begun | Fault {
  try {
    return work()
  } catch (thrown) {
    return Fault.of(thrown)
  }
}

/** Bytes that do not fit are refused. */
function grow(place: CallPlace | undefined, bytes: number): void {
  try {
    place?.hold(bytes)
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: 'gateway.busy' })
  }
}

const isTaken = (begun: Begun | Fault): begun is Begun => !(begun instanceof Fault)

describe('a gateway takes in', () => {
  test('a few calls in one turn of the event loop at once, and the others in the turns that follow', async () => {
    const { intake, turn } = fixture()
    const begun = Array.from({ length: 40 }, () => intake.begin('acme', 0))
    const atOnce = begun.filter((one) => !(one instanceof Promise)).length
    expect(atOnce).toBe(16)
    expect([intake.inFlight, intake.waiting]).toEqual([40, 24])
    await turn()
    expect(intake.waiting).toBe(8)
    await turn()
    expect(intake.waiting).toBe(0)
    for (const one of begun) (await one).end()
    expect(intake.inFlight).toBe(0)
    await turn()
    expect(intake.begin('acme', 0)).not.toBeInstanceOf(Promise)
  })

  test('the call of an organization that calls little before those of one that calls much', async () => {
    const { intake, turn } = fixture()
    const order: string[] = []
    const begin = (share: string) => {
      const begun = intake.begin(share, 0)
      if (begun instanceof Promise) void begun.then(() => order.push(share))
    }
    for (let n = 0; n < 300; n++) begin('flood')
    begin('light')
    await turn()
    expect(order).toContain('light')
    expect(order).toHaveLength(16)
  })

  test('more calls in a turn that is long for other reasons, so that refusing some does not starve the others', async () => {
    const { intake, time, turn } = fixture()
    const order: number[] = []
    for (let n = 0; n < 200; n++) {
      const begun = intake.begin('acme', 0)
      // Each takes a tenth of a millisecond.
      if (begun instanceof Promise) void begun.then(() => void ((time.now += 0.1), order.push(n)))
    }
    await turn()
    expect(order).toHaveLength(16)
    time.now += 100
    await turn()
    expect(order).toHaveLength(48)
  })

  test('no call of an organization whose oldest one waits too long, and every call of the others', async () => {
    const { intake, time, shed, turn } = fixture({ wait: 1_000 })
    for (let n = 0; n < 100; n++) void intake.begin('flood', 0)
    time.now = 1_001
    expect(attempt(() => intake.begin('flood', 0))).toMatchObject({ code: 'gateway.busy' })
    const light = intake.begin('light', 0)
    expect(shed).toEqual(['wait'])
    await turn()
    expect(await light).toBeDefined()
  })

  test('no call that waited so long that its client has given up: the process stood still meanwhile', async () => {
    const { intake, time, shed, turn } = fixture({ wait: 1_000 })
    const begun = Array.from({ length: 20 }, () => intake.begin('acme', 10))
    const late = Promise.allSettled(begun.slice(16).map((one) => Promise.resolve(one)))
    time.now = 60_000
    await turn()
    expect((await late).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'rejected'])
    expect(shed).toEqual(['wait', 'wait', 'wait', 'wait'])
    expect([intake.inFlight, intake.waiting, intake.bytes]).toEqual([16, 0, 160])
  })

  test('four fifths of its places from one organization, so that there is room for the next', () => {
    const { intake, shed } = fixture({ inFlight: 10 })
    const taken = Array.from({ length: 20 }, () => attempt(() => intake.begin('flood', 0))).filter(isTaken)
    expect(taken).toHaveLength(8)
    expect(isTaken(attempt(() => intake.begin('light', 0)))).toBe(true)
    expect(new Set(shed)).toEqual(new Set(['in_flight']))
  })

  test('as many calls as there are places where one organization has it alone and the bound is one', () => {
    const { intake } = fixture({ inFlight: 1 })
    const place = intake.begin('acme', 0) as CallPlace
    expect(attempt(() => intake.begin('acme', 0))).toMatchObject({ code: 'gateway.busy' })
    place.end()
    place.end()
    expect(isTaken(attempt(() => intake.begin('acme', 0)))).toBe(true)
    expect(intake.inFlight).toBe(1)
  })

  test('four fifths of the bytes from one organization, those of bodies without a length as they come', () => {
    const { intake, shed } = fixture({ bytes: 1_000 })
    const first = intake.begin('flood', 500) as CallPlace
    const second = intake.begin('flood', 0) as CallPlace
    second.hold(200)
    expect(() => second.hold(200)).toThrow('The gateway is busy')
    expect(attempt(() => intake.begin('flood', 300))).toMatchObject({ code: 'gateway.busy' })
    expect(isTaken(attempt(() => intake.begin('light', 200)))).toBe(true)
    expect(shed).toEqual(['bytes', 'bytes'])
    first.end()
    second.end()
    expect(intake.bytes).toBe(200)
  })

  test('no more from a client that left while it waited: its place is free again', async () => {
    const { intake, turn } = fixture({ waiting: 10 })
    for (let n = 0; n < 16; n++) void intake.begin('acme', 0)
    let leave = () => {}
    const gone = intake.begin('acme', 100, (given) => {
      leave = given
      return () => {}
    })
    leave()
    leave()
    await expect(gone).rejects.toMatchObject({ code: 'call.cancelled' })
    expect([intake.inFlight, intake.waiting]).toEqual([16, 0])
    await turn()
    expect([intake.inFlight, intake.waiting, intake.bytes]).toEqual([16, 0, 0])
  })

  test('nothing for good: after calls that came, waited, left, grew and ended in any order, all is free', async () => {
    const { intake, turn, time } = fixture({ inFlight: 60, waiting: 30, bytes: 20_000, wait: 50 })
    // Always the same numbers (a linear congruential generator), so that a failure can be repeated.
    let seed = 20_261_128
    const random = (most: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % most
    const places: CallPlace[] = []
    const leaving: (() => void)[] = []
    for (let n = 0; n < 5_000; n++) {
      const what = random(10)
      if (what < 5) {
        const begun = attempt(() =>
          intake.begin(`org ${random(4)}`, random(900), (leave) => {
            leaving.push(leave)
            return () => void leaving.splice(leaving.indexOf(leave), 1)
          }),
        )
        if (begun instanceof Promise)
          begun.then(
            (place) => places.push(place),
            () => {},
          )
        else if (!(begun instanceof Fault)) places.push(begun)
      } else if (what === 5) leaving.splice(random(leaving.length + 1), 1)[0]?.()
      else if (what === 6) grow(places[random(places.length + 1)], random(500))
      else if (what < 9) places.splice(random(places.length + 1), 1)[0]?.end()
      else {
        time.now += random(40)
        await turn()
      }
      expect(intake.inFlight).toBeLessThanOrEqual(60)
      expect(intake.waiting).toBeLessThanOrEqual(30)
      expect(intake.bytes).toBeLessThanOrEqual(20_000)
    }
    while (intake.waiting > 0) await turn()
    await turn()
    for (const place of places) place.end()
    expect([intake.inFlight, intake.waiting, intake.bytes]).toEqual([0, 0, 0])
  })
})
