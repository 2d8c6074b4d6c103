/** The asker as a stdio child. A fixture: nothing here runs when imported by a test. */
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { createAsker } from './asker.ts'

await createAsker().connect(new StdioServerTransport())
