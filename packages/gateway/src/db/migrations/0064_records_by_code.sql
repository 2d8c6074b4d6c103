-- Whoever asks why calls were refused or failed asks by code. Only such records have one.
-- locks: records
create index if not exists records_by_code on records (organization_id, code, seq) where code is not null;
