/**
 * `npm run s3-server` builds the S3-compatible server that tests of the file store use, pinned, from the Go module proxy into
 * `node_modules/.cache`. It takes a minute or two, once. Without Go it says so and succeeds: the tests then run without a server.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const VERSION = '1.8.0'
const folder = join(import.meta.dirname, '..', 'node_modules', '.cache', `s3-server-${VERSION}`)
export const builtServer = join(folder, 'versitygw')

function build(): number {
  if (existsSync(builtServer)) return told(`The S3 server is there: ${builtServer}`)
  const go = spawnSync('go', ['version'], { encoding: 'utf8' })
  if (go.status !== 0) return told('This machine has no Go, so there is no S3 server: tests with one are not run here.')
  const words = ['install', '-trimpath', `github.com/versity/versitygw/cmd/versitygw@v${VERSION}`]
  const env = { ...process.env, GOBIN: folder, CGO_ENABLED: '0', GOFLAGS: '' }
  const { status } = spawnSync('go', words, { env, stdio: 'inherit' })
  if (status === 0) return told(`The S3 server is built: ${builtServer}`)
  console.error('The S3 server could not be built: is the Go module proxy reachable?')
  return 1
}

function told(sentence: string): number {
  console.log(sentence)
  return 0
}

if (import.meta.main) process.exitCode = build()
