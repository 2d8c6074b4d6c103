/**
 * Starts a published program in front of the stub, and waits until a call through it is answered well.
 *
 * It has a temporary folder of its own (home, settings, log), no environment of whoever runs the bench, and the core of all
 * targets. A program that ends, or answers no call in time, is reported with the end of its log. Ends with all that it started.
 */
import { spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEventLane } from '../generator/event-lane.ts'
import { type CallTarget, FIRST_ID, openSession } from '../generator/mcp-call.ts'
import type { PeerPlace, PublishedPeer } from '../peers/peers.ts'
import { onCore } from './core-layout.ts'
import { refusedCall } from './gateway-answers.ts'
import { logEnd } from './gateway-folder.ts'
import { inherited } from './gateway-process.ts'
import { endProcess } from './process-end.ts'

const START_LIMIT_MS = 30_000
const CALL_LIMIT_MS = 5_000
const STEP_MS = 50

/** @param root of the installed package */
export function startPublished(
  peer: PublishedPeer,
  root: string,
  at: Omit<PeerPlace, 'folder'>,
  core: number | undefined,
) {
  const began = performance.now()
  const folder = mkdtempSync(join(tmpdir(), 'toolway-bench-peer-'))
  const place = { ...at, folder }
  for (const [name, text] of Object.entries(peer.files?.(place) ?? {})) writeFileSync(join(folder, name), text)
  const [command, args] = onCore(core, process.execPath, [join(root, peer.program), ...peer.words(place)])
  const env = { ...inherited(['PATH', 'LANG', 'TMPDIR']), HOME: folder }
  const log = join(folder, 'log')
  const out = openSync(log, 'a')
  // Its own process group: a Ctrl-C in the terminal then reaches the bench alone, which stops it in order.
  const child = spawn(command, args, { cwd: folder, env, stdio: ['pipe', out, out], detached: true })
  closeSync(out)
  let ended: string | undefined
  const exited = new Promise<void>((resolve) => {
    child.once('error', (error) => resolve(void (ended = error.message)))
    child.once('exit', (code, signal) => resolve(void (ended = `it ended (${signal ?? code})`)))
  })
  const { path, ...endpoint } = peer.endpoint
  const target: CallTarget = { url: `http://127.0.0.1:${at.port}${path}`, ...endpoint }

  return {
    pid: child.pid ?? 0,
    folder,
    /** Resolves to what to call, and the milliseconds from its start to the first answered call. Rejects with the reason. */
    async answered(): Promise<{ call: CallTarget; startMs: number }> {
      for (;;) {
        const found = await callOnce(target)
        if (typeof found !== 'string') return { call: found, startMs: performance.now() - began }
        if (ended !== undefined || performance.now() - began > START_LIMIT_MS)
          throw new Error(`${ended ?? found}; the end of its log:\n${logEnd(log)}`)
        await sleep(STEP_MS)
      }
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await endProcess(child, exited, folder)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Returns the target, with a session where it has them; or why the call was not answered well. */
async function callOnce(target: CallTarget): Promise<CallTarget | string> {
  try {
    if (target.isStream === true) return (await callByStream(target)) ?? target
    const call = { ...target, session: await openSession(target) }
    return (await refusedCall(call)) ?? call
  } catch (thrown) {
    const error = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown
    return error instanceof Error ? error.message : String(error)
  }
}

async function callByStream(target: CallTarget): Promise<string | undefined> {
  const lane = createEventLane({ target, nextId: () => FIRST_ID, limitMs: CALL_LIMIT_MS })
  const fault = await lane.call()
  lane.close()
  return fault
}
