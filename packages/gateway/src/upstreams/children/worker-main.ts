/**
 * The worker: the only process that starts stdio servers. The gateway starts it, gives it orders over file descriptor 3
 * and supervises it. It moves lines; it knows nothing of MCP, of organizations, or of any secret but the environment it
 * is told to give. When the gateway is gone, so are all children and the worker, within two seconds; when the worker is
 * killed, its process reaper ends them.
 */
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ChildError } from './child-error.ts'
import {
  createFrameReader,
  decodeTaken,
  encodeFrame,
  encodeTaken,
  KIND,
  type Frame,
  type Order,
  type Started,
} from './frame.ts'
import { createMask } from './mask.ts'
import { OWN_WORDS } from '../program-report.ts'
import { credentialsIn } from './sandbox/closed-paths.ts'
import { startProcess, type Process, type Report } from './worker/child-process.ts'
import { prepareFolders, type Residence } from './worker/child-folder.ts'
import { findCommand, findPrograms } from './worker/command-path.ts'
import { confine } from './worker/confine.ts'
import { createMemoryWatch } from './worker/memory-watch.ts'
import { createProcessReaper } from './worker/process-reaper.ts'

/** Time between SIGTERM and SIGKILL for the children when the gateway is gone, in milliseconds. */
const FAREWELL_MS = 1_000
/** Time for cleaning up after SIGKILL, in milliseconds. */
const CLEARING_MS = 300
const CONGESTED_FROM_BYTES = 1024 * 1024

/** @param forget called when the child is gone */
const reportsTo =
  (link: Socket, forget: (id: number) => void) =>
  /** @param spoke called with its first line */
  (id: number, spoke: (() => void) | undefined): Report => ({
    line(bytes) {
      spoke?.()
      spoke = undefined
      link.write(encodeFrame(KIND.line, id, bytes))
    },
    stderr: (lines) => link.write(encodeFrame(KIND.stderr, id, JSON.stringify(lines))),
    taken: (weight) => link.write(encodeTaken(id, weight)),
    deaf: () => link.write(encodeFrame(KIND.deaf, id)),
    exited(ending) {
      forget(id)
      link.write(encodeFrame(KIND.exited, id, JSON.stringify(ending)))
    },
    congested: () => link.writableLength > CONGESTED_FROM_BYTES,
  })

/** A process with what its sandbox shows. */
interface Born extends Omit<Started, 'pid'> {
  readonly child: Process
}

interface BirthParts {
  readonly reportOf: ReturnType<typeof reportsTo>
  /** Whether a child that is being prepared is still to be started. */
  isWanted(id: number): boolean
}

function createBirths({ reportOf, isWanted }: BirthParts) {
  const reaper = createProcessReaper()
  const memory = createMemoryWatch()

  async function bear(id: number, order: Order): Promise<Born> {
    const residence = await prepareFolders(order)
    try {
      return await spawnIn(residence, id, order)
    } catch (thrown) {
      await residence.temporary.remove()
      throw thrown
    }
  }

  async function spawnIn({ cwd, environment, npm, temporary }: Residence, id: number, order: Order): Promise<Born> {
    const path = environment['PATH'] ?? ''
    const file = await findCommand(order.command, { path, cwd })
    await findPrograms(order.programs, path)
    const { lineLimit, memoryLimit, environment: declared, hidden } = order
    const {
      started,
      view,
      closedPaths = [],
      ...confined
    } = await confine(order, { file, cwd, environment, temporary: temporary.path })
    if (!isWanted(id)) {
      started?.()
      await confined.cleanUp?.()
      throw new ChildError('STOPPED', 'It was stopped before it was started.')
    }
    const report = reportOf(id, started)
    const mask = createMask(declared, hidden)
    // A path is no secret where the variable that names it is none.
    const maskCredentials = createMask(credentialsIn(declared), hidden)
    const masked = closedPaths.map((line) => maskCredentials(line))
    const notes = [...(confined.notes ?? []).map((line) => mask(line)), ...masked.map((line) => OWN_WORDS + line)]
    if (notes.length > 0) report.stderr(notes)
    const born = startProcess({
      ...confined,
      ...{ npm, lineLimit, memoryLimit, reaper, memory },
      mask,
      async gone() {
        started?.()
        await confined.cleanUp?.()
        await temporary.remove()
      },
      report,
    })
    born.catch(() => started?.())
    return { child: await born, ...(view === undefined ? {} : { view }), closedPaths: masked }
  }

  return bear
}

function createWorker(link: Socket) {
  /** undefined while a child is being prepared; one that is stopped by then is not started at all. */
  const children = new Map<number, Process | undefined>()
  let leaving = false

  const bear = createBirths({
    reportOf: reportsTo(link, (id) => children.delete(id)),
    isWanted: (id) => !leaving && children.has(id),
  })

  async function start(id: number, order: Order): Promise<void> {
    children.set(id, undefined)
    try {
      const { child, ...seen } = await bear(id, order)
      children.set(id, child)
      const started: Started = { pid: child.pid, ...seen }
      link.write(encodeFrame(KIND.started, id, JSON.stringify(started)))
    } catch (thrown) {
      children.delete(id)
      const { code, message } =
        thrown instanceof ChildError
          ? thrown
          : new ChildError('START_FAILED', `It could not be prepared: ${String(thrown)}`)
      link.write(encodeFrame(KIND.refused, id, JSON.stringify({ code, message })))
    }
  }

  return {
    enforce({ kind, child: id, body }: Frame): void {
      if (kind === KIND.start) return void start(id, JSON.parse(body.toString()) as Order)
      const child = children.get(id)
      if (kind === KIND.line) child?.write(body)
      else if (kind === KIND.taken) child?.taken(decodeTaken(body))
      else if (kind === KIND.stop && child) child.stop()
      else if (kind === KIND.stop) children.delete(id)
    },
    async leave(): Promise<void> {
      if (leaving) return
      leaving = true
      const left = [...children.values()].filter((child) => child !== undefined)
      for (const child of left) child.interrupt()
      await Promise.race([sleep(FAREWELL_MS), Promise.all(left.map((child) => child.buried))])
      for (const child of children.values()) child?.kill()
      // Their temporary folders go with them.
      await Promise.race([sleep(CLEARING_MS), Promise.all(left.map((child) => child.buried))])
      process.exit(0)
    },
  }
}

const link = new Socket({ fd: 3 })
const worker = createWorker(link)
// A terminal sends Ctrl-C to everybody; when to end is for the gateway to say.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)
process.on('SIGTERM', () => void worker.leave())
// 'end' comes at once when the gateway is killed; 'close' may wait for what is still to be written.
for (const end of ['end', 'error', 'close']) link.on(end, () => void worker.leave())
link.on('data', createFrameReader(worker.enforce))
