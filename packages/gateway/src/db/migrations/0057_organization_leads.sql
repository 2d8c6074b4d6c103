-- Each row of an organization can be reached, and is unique, by a key that begins with the organization, so that a distributed
-- PostgreSQL can hold the table in shards of organizations. Ids stay unique by themselves, as they are random.
-- locks: alerts, catalog_looks, catalogs, credentials, file_links, kept_results, oauth_flows, oauth_grants, record_payloads
-- locks: sessions, toolsets, webhook_deliveries
create unique index if not exists alerts_placed on alerts (organization_id, id);
create unique index if not exists catalogs_placed on catalogs (organization_id, connection_id);
create unique index if not exists catalog_looks_placed on catalog_looks (organization_id, connection_id);
create unique index if not exists credentials_placed on credentials (organization_id, id);
create unique index if not exists file_links_placed on file_links (organization_id, hash);
create unique index if not exists kept_results_placed on kept_results (organization_id, id);
create unique index if not exists oauth_flows_placed on oauth_flows (organization_id, id);
create unique index if not exists oauth_grants_placed on oauth_grants (organization_id, id);
create unique index if not exists record_payloads_placed on record_payloads (organization_id, id);
create unique index if not exists sessions_placed on sessions (organization_id, hash);
create unique index if not exists toolsets_placed on toolsets (organization_id, id);
create unique index if not exists webhook_deliveries_placed on webhook_deliveries (organization_id, id);
