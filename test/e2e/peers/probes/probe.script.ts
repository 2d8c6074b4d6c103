/** The probe as a stdio child, for both eras: `node probe.script.ts NAME`. A fixture: nothing here runs when imported by a test. */
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createProbe, createProbeState } from './probe.ts'

const state = createProbeState(process.argv[2] ?? 'child')
serveStdio(() => {
  const server = createProbe(state)
  state.onGrow = () => void server.sendToolListChanged()
  return server
})
