-- Whom a sign-in is of at its provider, and which session there, so that the provider can end it (OpenID Connect Back-Channel Logout 1.0).
-- locks: sign_ins
alter table sign_ins add column provider_subject text;
alter table sign_ins add column provider_session text;
