-- Lists of the administration are read by pages: each begins where the one before ended, so that a page costs no more than its rows.
-- locks: approvals, keys, oauth_grants
create index if not exists approvals_by_time on approvals (organization_id, created_at desc, id desc);
create index if not exists keys_by_time on keys (organization_id, created_at, id);
create index if not exists oauth_grants_by_time on oauth_grants (organization_id, created_at desc, id desc) where ended_at is null;
