/** Events: what happens in an organization, as a stream to those who follow it. */
export { createEventFeed, type EventFeed, type EventNotice } from './event-feed.ts'
export { eventOperations, type EventParts } from './events.operations.ts'
