-- Whoever looks for what rarely happened must not read all that did: one index for each thing that records are looked for by. Each
-- begins with the organization and ends with the place in its chain, in whose order pages come, so that a page is read where it is.
-- What nearly all records have (calls that went well) is left out where no search of it needs an index.
-- locks: records
create index if not exists records_by_time on records (organization_id, at, seq);
create index if not exists records_by_actor on records (organization_id, principal, seq);
create index if not exists records_by_tool on records (organization_id, target, seq) where kind = 'call';
create index if not exists records_by_connection on records (organization_id, connection, seq) where connection is not null;
create index if not exists records_by_outcome on records (organization_id, outcome, seq) where outcome <> 'ok';
create index if not exists records_by_action on records (organization_id, method, seq) where method <> 'tools/call';
-- Nearly each one is another: the index is as large as it is, and shared by those who look in one organization and in all.
create index if not exists records_by_correlation on records (correlation_id);
drop index records_of_action;
