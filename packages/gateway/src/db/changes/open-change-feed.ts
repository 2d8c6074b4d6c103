/** Opens the change feed with the driver that is configured. */
import { CHANNEL, type ChangeFeed, type ChangeFeedParts, type StreamSettings } from './change-feed.ts'
import { createStreamFeed } from './stream-feed.ts'

/** Resolves once every later change is heard. */
export const openChangeFeed = (parts: ChangeFeedParts, stream: StreamSettings | undefined): Promise<ChangeFeed> =>
  stream === undefined ? openListenFeed(parts) : createStreamFeed(parts, stream)

async function openListenFeed({ db, onNotice, alive }: ChangeFeedParts): Promise<ChangeFeed> {
  const listener = await db.listen(CHANNEL, onNotice, alive)
  return {
    state: () => 'database',
    problem: () => undefined,
    heard: listener.heard,
    close: () => listener.close(),
  }
}
