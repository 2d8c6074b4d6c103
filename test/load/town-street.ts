/** The servers of a town that answer, as a process of the bench; it says its port and ends with its parent. */
import { openStreet } from '../town/street.ts'

const { port } = await openStreet()
process.send?.({ port })
process.on('disconnect', () => process.exit(0))
