/**
 * A real S3-compatible server for tests: versitygw, which keeps objects in a folder and verifies signatures. It is built from the Go
 * module proxy, pinned, into `node_modules/.cache`, by `npm run counterparts`; TEST_S3_SERVER names another binary of it.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../../packages/gateway/src/testing/free-port.ts'
import { findCounterpart } from '../../../../tools/counterparts.ts'

const S3_KEYS = { id: 'TWQ7K2M4XH', secret: '9f3c51b7e2a84d06' }
const BUCKET = 'toolway'

export interface S3Server extends AsyncDisposable {
  readonly endpoint: string
  /** Of a gateway that keeps its files there. */
  readonly settings: Readonly<Record<string, string>>
  /** The folder of the bucket. */
  readonly folder: string
  stop(): Promise<void>
  start(): Promise<void>
}

/** The binary; undefined on a machine where nobody built it. */
export function findS3Server(): string | undefined {
  const named = process.env['TEST_S3_SERVER']
  if (named !== undefined && named !== '') return named
  return findCounterpart('versitygw')
}

export async function startS3Server(binary: string): Promise<S3Server> {
  const root = await mkdtemp(join(tmpdir(), 'toolway-s3-'))
  const folder = join(root, BUCKET)
  await mkdir(folder)
  const port = await freePort()
  const endpoint = `http://127.0.0.1:${port}`
  let stop = async () => {}
  const start = async () => {
    const env = { PATH: process.env['PATH'], ROOT_ACCESS_KEY: S3_KEYS.id, ROOT_SECRET_KEY: S3_KEYS.secret }
    const child = spawn(binary, ['--port', `127.0.0.1:${port}`, '--quiet', 'posix', root], { env, stdio: 'ignore' })
    const ended = once(child, 'close')
    stop = async () => {
      child.kill('SIGKILL')
      await ended
    }
    await answering(endpoint)
  }
  await start()
  return {
    endpoint,
    folder,
    settings: {
      TOOLWAY_FILES: `s3://${BUCKET}/files`,
      TOOLWAY_FILES_S3_ENDPOINT: endpoint,
      AWS_ACCESS_KEY_ID: S3_KEYS.id,
      AWS_SECRET_ACCESS_KEY: S3_KEYS.secret,
    },
    stop: () => stop(),
    start,
    async [Symbol.asyncDispose]() {
      await stop()
      await rm(root, { recursive: true, force: true })
    },
  }
}

async function answering(endpoint: string): Promise<void> {
  for (const until = Date.now() + 60_000; Date.now() < until;) {
    const answered = await fetch(endpoint).then(
      () => true,
      () => false,
    )
    if (answered) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`the S3 server does not answer at ${endpoint}`)
}
