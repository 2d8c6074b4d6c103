-- The account that a person lets a sign-in replace. Without it, a sign-in replaces only what it is known to renew: what works is not taken
-- from somebody because nobody knows who signed in.
-- locks: oauth_flows
alter table oauth_flows add column replaces text;
