/**
 * The command that the client suites start for each scenario: `node client-command.script.ts PORT SERVER`, with
 * MCP_CONFORMANCE_SCENARIO and MCP_CONFORMANCE_CONTEXT as the suites set them. It has the driver at PORT play the scenario, and ends
 * with 1 and what went wrong where the story could not be told to its end.
 */
import { connect } from 'node:net'
import { TOLD, type Asked } from './told.ts'

const [, , port, server = ''] = process.argv
const { MCP_CONFORMANCE_SCENARIO: scenario = '', MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env
const asked: Asked = { scenario, context, server }

let said = ''
const socket = connect(Number(port), '127.0.0.1')
socket.setEncoding('utf8').on('data', (part: string) => (said += part))
socket.on('error', (error) => (said += error.message))
socket.on('close', () => {
  if (said === TOLD) return
  process.stderr.write(`${said === '' ? 'The driver ended before the story did.' : said}\n`)
  process.exitCode = 1
})
socket.end(JSON.stringify(asked))
