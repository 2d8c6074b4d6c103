-- Bytes of the lists of a connection, so that those of an organization can be bounded without reading them.
-- locks: catalogs
alter table catalogs add column bytes integer;
