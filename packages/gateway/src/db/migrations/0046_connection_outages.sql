-- An outage of a connection is told once, by whichever gateway notes it first, and so is its end. The row is locked by the statement
-- that changes its status, so two gateways never both find an outage untold.
-- locks: connections
alter table connections add column outage_told boolean not null default false; -- the alert of the present outage was raised
alter table connections add column outage_told_at timestamptz; -- when the last such alert was raised; bounds those of a flapping server
