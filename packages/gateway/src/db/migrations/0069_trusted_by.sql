-- Who gave a key the leave to call on behalf of members: a platform administrator, or the operator's file. A trusted key without this
-- is refused where it names a member. Those that an organization's administrator made until now wait for a platform administrator.
-- locks: keys
alter table keys add column trusted_by text;
update keys k set trusted_by = coalesce(k.created_by, k.origin)
 where k.trusted and (
   (k.created_by is null and k.origin = 'file')
   or k.created_by in ('operator', 'command line')
   or exists (select from users u where u.id = k.created_by and u.platform_admin)
   or exists (select from keys m where m.id = k.created_by and m.role = 'platform_admin'));
alter table keys add constraint keys_trusted_by check (trusted_by is null or trusted) not valid;
alter table keys validate constraint keys_trusted_by;
