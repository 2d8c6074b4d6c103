/** Events: what happens in an organization, as a stream to those who follow it. */
export type { EventFeed } from './event-feed.ts'
export type { EventNotice } from './organization-events.ts'
export { startEvents } from './events.start.ts'
export { eventOperations as operations } from './events.operations.ts'
