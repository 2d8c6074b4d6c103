/** Credentials for a command that works on the store itself: as they are kept. */
import type { OwnCredentials } from '../../call/ports.ts'
import type { Snapshot } from '../../call/snapshot.ts'
import { findNewestOwner, listHeld } from '../../credentials/credentials.ts'
import { createKnownFacts } from '../../oauth/outgoing/credentials/connection-facts.ts'
import { createCredentialMemory } from '../../oauth/outgoing/credentials/credential-memory.ts'
import { createOwnCredentials } from '../../oauth/outgoing/credentials/own-credentials.ts'
import type { Opened } from '../store.ts'

/** As they are kept: a command renews nothing, and takes none away, because gateways that run do both. */
export function keptCredentials({ db, vault }: Opened, find: () => Snapshot): OwnCredentials {
  const memory = createCredentialMemory({
    load: (facts, owner) =>
      db.organization(facts.organizationId, (sql) =>
        listHeld(sql, { connectionId: facts.id, provider: facts.provider }, owner),
      ),
    open: vault.open,
    onDamaged() {},
    now: Date.now,
  })
  return createOwnCredentials({
    find,
    factsOf: createKnownFacts(vault),
    memory,
    renewal: { renew: () => Promise.resolve() },
    lose: () => Promise.resolve(false),
    newestOwner: (facts) =>
      db.organization(facts.organizationId, (sql) =>
        findNewestOwner(sql, { connectionId: facts.id, provider: facts.provider }),
      ),
    now: Date.now,
  })
}
