/** The contract backend as a process: `node backend.script.ts --port 8000 --key secret`. It prints its address, and ends on SIGTERM. */
import { parseArgs } from 'node:util'
import { startContractBackend } from './backend.ts'

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' }, key: { type: 'string' } } })
const backend = await startContractBackend({
  port: Number(values.port),
  ...(values.key === undefined ? {} : { key: values.key }),
})
process.stdout.write(`${backend.url}\n`)
process.once('SIGTERM', () => void backend[Symbol.asyncDispose]().then(() => process.exit(0)))
