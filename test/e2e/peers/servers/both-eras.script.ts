/** The server of both eras as a stdio child. A fixture: nothing here runs when imported by a test. */
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createBothEras } from './both-eras.ts'

serveStdio(() => createBothEras({}))
