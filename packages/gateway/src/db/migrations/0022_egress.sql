-- What an organization's connections may reach although it is private. The platform says so: the organization's own role is not granted
-- this column, so that no statement of its own widens it.
-- locks: organizations
alter table organizations
  add column egress jsonb not null default '{"networks": [], "hosts": []}'
    check (jsonb_typeof(egress -> 'networks') = 'array' and jsonb_typeof(egress -> 'hosts') = 'array');
