/** A server of one revision as a stdio child: `node one-revision.script.ts REVISION`. A fixture: nothing here runs when imported by a test. */
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { serveOneRevision } from './one-revision.ts'

void serveOneRevision(process.argv[2] ?? '')(new StdioServerTransport())
