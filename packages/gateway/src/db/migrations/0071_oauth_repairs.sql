-- What was wrong in the last readable answers of a connection's OAuth servers, and how it was read: by kind of document
-- {"document": …, "repaired": […]}; null where nothing was. It is no change of the connection: updated_at stays.
-- locks: connections
alter table connections add column oauth_repairs jsonb;
