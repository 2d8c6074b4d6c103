/**
 * The protocol between the gateway and its worker process: frames on one socket pair, with four bytes of length, one of kind,
 * four with the number of the child, then the body. Lines travel as raw bytes, so nothing is escaped or decoded on the way
 * (20,000 lines take 0.6 of the time of Node's own IPC, and the socket reports the end of either process at once). It never
 * interprets a line, and trusts the peer except for size: a frame over the limit ends the link.
 */
import type { SandboxView } from './sandbox/closed-paths.ts'
import type { ChildNetwork, ContainerSettings, DriverName } from './sandbox/driver.ts'

const HEADER = 9
/** The largest frame: a line of the largest limit anybody may ask for, with room for the words around it. */
export const FRAME_LIMIT = 64 * 1024 * 1024
/** The largest line limit a child may be started with, in bytes. */
export const LINE_CEILING = 48 * 1024 * 1024
/** The limit that U-16 of the requirements sets for a line of a stdio server, in bytes. */
export const LINE_LIMIT = 8 * 1024 * 1024
/** Memory limit of a child and all processes it started, in bytes: a browser with a few pages fits. */
export const MEMORY_LIMIT = 2048 * 1024 * 1024

/** Gateway to worker: start, line, taken, stop. Worker to gateway: started, refused, line, taken, stderr, deaf, exited. */
export const KIND = {
  start: 1,
  line: 2,
  taken: 3,
  stop: 4,
  started: 5,
  refused: 6,
  stderr: 7,
  deaf: 8,
  exited: 9,
} as const
export type Kind = (typeof KIND)[keyof typeof KIND]

export interface Frame {
  kind: number
  child: number
  body: Buffer
}

/** Body of `start`, as JSON. `home` is the folder of this child alone; `lineLimit` is in bytes. */
export interface Order {
  path: string
  lang: string
  command: string
  args: string[]
  /** Names that must be in PATH besides the command. */
  programs: string[]
  /** Secrets of the arguments, masked in what it prints. */
  hidden: string[]
  /** Positions of arguments with a secret, whatever they look like. */
  secretArgs: number[]
  /** Of the installation; declared variables win. */
  inherited: Record<string, string>
  environment: Record<string, string>
  home: string
  cwd?: string
  lineLimit: number
  /** Bytes that it may hold with all it started. */
  memoryLimit: number
  /** How it is confined; absent: not at all. */
  confinement?: Confinement
}

/** What a child is confined to, and by which driver. */
export interface Confinement {
  driver: DriverName
  /** It is not started where a guarantee that matters does not hold for it. */
  required: boolean
  name: string
  /** Of its connection, for the commands in sentences. */
  alias: string
  network: ChildNetwork
  allowHosts: string[]
  /** `path`, or `path:ro` for one that it may only read. */
  allowPaths: string[]
  /** Never visible: the data folder, and files with secrets. */
  hiddenPaths: string[]
  /** Folders below which its paths and its program must lie; absent: anywhere. */
  roots?: string[]
  egressSocket?: string
  processes: number
  /** Bytes of its folders together. */
  diskLimit: number
  /** Only for drivers that make containers. */
  container?: ContainerSettings
}

/** Body of `started`, as JSON. */
export interface Started {
  pid: number
  /** Paths that its sandbox shows; absent where nothing is hidden from it. */
  view?: SandboxView
  /** Sentences about paths that it names and its sandbox does not show. */
  closedPaths: string[]
}

/** Body of `refused`, as JSON: no process came to be. */
export interface Refusal {
  code: string
  message: string
}

/** Why a child is gone: by itself, on request, for a line, memory, processes or files over the limit, or with its worker. */
export type ExitReason =
  | 'ENDED'
  | 'STOPPED'
  | 'LINE_TOO_LONG'
  | 'TOO_MUCH_MEMORY'
  | 'TOO_MANY_PROCESSES'
  | 'TOO_MUCH_DISK'
  | 'WORKER_LOST'

/** Body of `exited`, as JSON: the process and its group are gone. */
export interface Ending {
  code: number | null
  signal: NodeJS.Signals | null
  reason: ExitReason
}

/**
 * Returns the weight of a line of so many bytes in a queue. The constant covers the objects around it, so that a flood of tiny
 * lines is bounded as well as one of long ones. Both sides count with this function.
 */
export const weightOf = (bytes: number): number => bytes + 128

export function encodeFrame(kind: Kind, child: number, body: Uint8Array | string = ''): Buffer {
  const size = typeof body === 'string' ? Buffer.byteLength(body) : body.length
  if (size > FRAME_LIMIT) throw new RangeError(`a frame of ${size} bytes is over the limit of ${FRAME_LIMIT}`)
  const frame = Buffer.allocUnsafe(HEADER + size)
  frame.writeUInt32LE(size, 0)
  frame.writeUInt8(kind, 4)
  frame.writeUInt32LE(child, 5)
  if (typeof body === 'string') frame.write(body, HEADER)
  else frame.set(body, HEADER)
  return frame
}

/** A frame whose body is one number: how much weight of lines was taken. */
export function encodeTaken(child: number, weight: number): Buffer {
  const body = Buffer.allocUnsafe(4)
  body.writeUInt32LE(weight)
  return encodeFrame(KIND.taken, child, body)
}

export const decodeTaken = (body: Buffer): number => body.readUInt32LE(0)

/**
 * Feed it chunks as they come; it calls `take` for each whole frame, in order. A body is a view on the chunk: copy it
 * to keep it. Throws RangeError for a frame over the limit, after which the link is of no use.
 */
export function createFrameReader(onFrame: (frame: Frame) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = []
  let received = 0
  let needed = HEADER
  return (chunk) => {
    parts.push(chunk)
    received += chunk.length
    if (received < needed) return
    const bytes = parts.length === 1 ? chunk : Buffer.concat(parts, received)
    let at = 0
    needed = HEADER
    while (bytes.length - at >= HEADER) {
      const size = bytes.readUInt32LE(at)
      if (size > FRAME_LIMIT) throw new RangeError(`a frame announces ${size} bytes, the limit is ${FRAME_LIMIT}`)
      const end = at + HEADER + size
      if (bytes.length < end) {
        needed = HEADER + size
        break
      }
      onFrame({
        kind: bytes.readUInt8(at + 4),
        child: bytes.readUInt32LE(at + 5),
        body: bytes.subarray(at + HEADER, end),
      })
      at = end
    }
    received = bytes.length - at
    parts = received > 0 ? [bytes.subarray(at)] : []
  }
}
