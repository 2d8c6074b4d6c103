/** The gateway is told to end: what is under way may finish, what is not is refused, and nobody is left behind. */
// @module-tag long
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { makeInstallation, type Settings } from '../cli/installation.ts'
import { callTool, requestOf, textIn, type Target } from './caller.ts'
import { followFamily } from './family.ts'

const KEY = `uru_${'ab'.repeat(32)}`
const patiently = { interval: 50 }

async function startBusy(settings: Settings = {}) {
  const here = await makeInstallation({ TOOLWAY_BOOTSTRAP_KEY: KEY, ...settings })
  const running = await here.start()
  const target: Target = { url: `${running.address}/mcp`, key: KEY }
  await expect
    .poll(async () => textIn(await callTool(target, 'demo__calculate', { expression: '6*7' })), patiently)
    .toContain('42')
  return {
    here,
    running,
    target,
    family: followFamily(running.pid, here.data),
    [Symbol.asyncDispose]: () => here[Symbol.asyncDispose](),
  }
}

/** A call that is certainly under way once this resolves: its first progress has arrived. */
async function beginWaiting({ url, key }: Target, seconds: number) {
  const { headers, body } = requestOf(
    'tools/call',
    { name: 'demo__wait_for', arguments: { seconds, steps: 3 * seconds } },
    key,
  )
  const withToken = body.replace('"_meta":{', '"_meta":{"progressToken":"here",')
  const response = await fetch(url, { method: 'POST', headers, body: withToken })
  const reader = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes('notifications/progress')) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`it ended before any progress: ${text}`)
    text += value
  }
  return async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value
    return text
  }
}

describe('a gateway that is told to end', () => {
  test('lets a call under way finish, takes no new one, ends with 0 and leaves nobody behind', async () => {
    await using busy = await startBusy()
    const { running, target, family } = busy
    const rest = await beginWaiting(target, 2)
    expect(family.alive().length).toBeGreaterThan(4)
    running.signal('SIGTERM')
    await expect
      .poll(
        () =>
          fetch(`${running.address}/health/live`).then(
            () => 'answers',
            () => 'gone',
          ),
        patiently,
      )
      .toBe('gone')
    expect(await rest()).toContain('Waited 2 seconds')
    expect(await running.ended).toBe(0)
    await expect.poll(family.alive, patiently).toEqual([])
  })

  test('ends streams that would stay open for ever, so that they hold nothing up', async () => {
    await using busy = await startBusy()
    const { running, target, family } = busy
    const { headers, body } = requestOf(
      'subscriptions/listen',
      { notifications: { toolsListChanged: true } },
      target.key,
    )
    const stream = await fetch(target.url, { method: 'POST', headers, body })
    expect(stream.status).toBe(200)
    running.signal('SIGINT')
    await stream.text()
    expect(await running.ended).toBe(0)
    await expect.poll(family.alive, patiently).toEqual([])
  })

  test('answers what outlasts its patience, says that a read can be made again, and has on record that its end is unknown', async () => {
    await using busy = await startBusy({ TOOLWAY_DRAIN_SECONDS: '1' })
    const { here, running, target, family } = busy
    const rest = await beginWaiting(target, 29)
    running.signal('SIGTERM')
    const answer = await rest()
    expect(answer).toContain('"fault":"gateway.draining-cut"')
    expect(answer).toContain('"retryable":false')
    expect(answer).toContain('You can make the call again: it only reads.')
    expect(await running.ended).toBe(0)
    await expect.poll(family.alive, patiently).toEqual([])
    const listed = (await here.json(['records', 'list', '--action', 'tools/call'])) as { entries?: unknown }
    expect(JSON.stringify(listed)).toMatch(/"outcome":"unknown","[^{}]*gateway\.draining-cut/)
  })

  test('is not ready from the first signal on, and serves until its delay is over; a second signal still ends it', async () => {
    await using busy = await startBusy({ TOOLWAY_STOP_DELAY: '600' })
    const { running, target, family } = busy
    const ready = async () => {
      const response = await fetch(`${running.address}/health/ready`)
      return [response.status, response.headers.get('connection'), JSON.stringify(await response.json())]
    }
    expect((await ready())[0]).toBe(200)
    running.signal('SIGTERM')
    await expect.poll(ready, patiently).toEqual([503, 'close', expect.stringContaining('shutting down')])
    expect(textIn(await callTool(target, 'demo__calculate', { expression: '6*7' }))).toContain('42')
    await sleep(500)
    running.signal('SIGTERM')
    expect(await running.ended).toBe(1)
    await expect.poll(family.alive, patiently).toEqual([])
  })

  test('ends at once when it is told a second time, whatever is under way, and leaves nobody behind', async () => {
    await using busy = await startBusy()
    const { running, target, family } = busy
    const rest = await beginWaiting(target, 29)
    expect(family.alive().length).toBeGreaterThan(4)
    running.signal('SIGINT')
    await expect
      .poll(
        () =>
          fetch(`${running.address}/health/live`).then(
            () => 'answers',
            () => 'gone',
          ),
        patiently,
      )
      .toBe('gone')
    // The same wish may arrive twice, by npm and by the terminal; a person who insists takes longer.
    await sleep(500)
    running.signal('SIGINT')
    await expect(rest()).rejects.toThrow()
    expect(await running.ended).toBe(1)
    await expect.poll(family.alive, patiently).toEqual([])
  })
})
