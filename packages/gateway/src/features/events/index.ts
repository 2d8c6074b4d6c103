/** Events: what happens in an organization, as a stream to those who follow it. */
export { createEventFeed, type EventFeed } from './event-feed.ts'
export type { EventNotice } from './organization-events.ts'
export { eventOperations, type EventParts } from './events.operations.ts'
