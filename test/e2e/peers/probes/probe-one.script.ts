/** The probe of SDK 1 as a stdio child: `node probe-one.script.ts NAME`. A fixture: nothing here runs when imported by a test. */
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { createProbeOne } from './probe-one.ts'
import { createProbeState } from './probe.ts'

await createProbeOne(createProbeState(process.argv[2] ?? 'child')).connect(new StdioServerTransport())
