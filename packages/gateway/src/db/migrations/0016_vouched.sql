-- Who says that an account is the person's whose email it has: an organization whose administrator made it, and whose word is
-- good in that organization alone. Null: the platform made it, or the person has proven it (by the set-up code, by a provider).
-- locks: organizations, users
alter table users add column vouched_by text references organizations (id) on delete set null;
create index if not exists users_vouched on users (vouched_by) where vouched_by is not null;
