-- The tables of the service, in SQL that SQLite (3.35 and newer) and PostgreSQL read alike.
--
-- Times are milliseconds since 1970-01-01 UTC. Atomic units are decimal text, as they may exceed 64 bits.
-- Conditions spell out their words with OR: for a list with IN, SQLite builds a table each time a row is changed.
-- The columns are closed lists: adding one is a version change, and a test says so.
-- Of what was examined there is nothing here, and no digest of it, except in `answers` of rooms that keep answers.

-- One row, whose `last` is the id of the newest row of the ledger. Ids are given under its lock: they have no gaps,
-- and a row with a smaller id is never seen later than one with a greater.
CREATE TABLE ledger_head (
    id bigint PRIMARY KEY CHECK (id = 1),
    last bigint NOT NULL
);
INSERT INTO ledger_head (id, last) VALUES (1, 0);

-- The ledger: rows are added and never changed.
CREATE TABLE ledger (
    id bigint PRIMARY KEY CHECK (id > 0),
    about bigint REFERENCES ledger (id),
    kind text NOT NULL CHECK (kind = 'payment' OR kind = 'refund' OR kind = 'rate' OR kind = 'wrong'),
    operation text NOT NULL,
    payer text NOT NULL,
    recorded_at bigint NOT NULL,
    network text NOT NULL,
    asset text NOT NULL,
    units text NOT NULL CHECK (units <> '' AND ltrim(units, '-0123456789') = ''),
    rate text,
    rate_date text,
    basis text,
    cad_pending boolean NOT NULL,
    refund boolean NOT NULL,
    transaction_id text NOT NULL,
    fee_lamports bigint,
    criteria_version text,
    report_line text,
    summary text,
    carrier text,
    program text,
    verdict text,
    counts text,
    house boolean NOT NULL,
    CHECK ((kind = 'payment') = (about IS NULL))
);
CREATE INDEX ledger_about ON ledger (about) WHERE about IS NOT NULL;

-- Who has claimed: a claim locks its payer's row, so that claims of one payer are decided one after another.
CREATE TABLE payers (
    payer text PRIMARY KEY
);

-- The gate. `entry` is what the ledger may say of the work, kept until the payment is settled.
CREATE TABLE payments (
    key text PRIMARY KEY,
    payload_sha256 text NOT NULL,
    payer text NOT NULL,
    payment_id text,
    idempotency_key text,
    operation text NOT NULL,
    accepted text NOT NULL,
    valid_before bigint NOT NULL,
    state text NOT NULL CHECK (
        state = 'claimed' OR state = 'stored' OR state = 'settling'
        OR state = 'settled' OR state = 'released' OR state = 'expired' OR state = 'unresolved'
    ),
    fence bigint NOT NULL CHECK (fence > 0),
    lease_until bigint NOT NULL,
    claimed_at bigint NOT NULL,
    settled_at bigint,
    transaction_id text,
    reruns bigint NOT NULL,
    entry text,
    ledger_id bigint UNIQUE REFERENCES ledger (id),
    CHECK ((state = 'settled') = (settled_at IS NOT NULL AND transaction_id IS NOT NULL AND ledger_id IS NOT NULL))
);
CREATE UNIQUE INDEX payments_payment_id ON payments (payer, payment_id)
    WHERE payment_id IS NOT NULL AND state <> 'released' AND state <> 'expired';
CREATE INDEX payments_newest_payment_id ON payments (payer, payment_id) WHERE payment_id IS NOT NULL;
CREATE UNIQUE INDEX payments_idempotency_key ON payments (payer, operation, idempotency_key)
    WHERE idempotency_key IS NOT NULL AND state <> 'released' AND state <> 'expired';
CREATE INDEX payments_newest_idempotency_key ON payments (payer, operation, idempotency_key)
    WHERE idempotency_key IS NOT NULL;
CREATE INDEX payments_unsettled_payer ON payments (payer)
    WHERE state <> 'settled' AND state <> 'released' AND state <> 'expired' AND state <> 'unresolved';
CREATE INDEX payments_unsettled_lease ON payments (lease_until)
    WHERE state <> 'settled' AND state <> 'released' AND state <> 'expired' AND state <> 'unresolved';
CREATE INDEX payments_unresolved ON payments (lease_until, key) WHERE state = 'unresolved';

-- Answers of rooms whose custody keeps them. Never the input.
CREATE TABLE answers (
    id text PRIMARY KEY,
    scope text NOT NULL,
    operation text NOT NULL,
    request_sha256 text NOT NULL,
    idempotency_key text,
    payment_key text UNIQUE REFERENCES payments (key),
    body bytea NOT NULL,
    headers text NOT NULL,
    bearer_sha256 text,
    kept_at bigint NOT NULL
);
CREATE UNIQUE INDEX answers_local_key ON answers (operation, idempotency_key)
    WHERE payment_key IS NULL AND idempotency_key IS NOT NULL;

-- The free tier: one row a bucket, named by whoever takes from it. A row not used for a day is deleted within an hour.
CREATE TABLE free_calls (
    bucket text PRIMARY KEY,
    day bigint NOT NULL,
    calls bigint NOT NULL,
    last_ms bigint NOT NULL
);
CREATE INDEX free_calls_last ON free_calls (last_ms);

-- How many free calls a day had, of no one in particular; in shards, so that callers do not wait for each other.
CREATE TABLE free_days (
    day bigint NOT NULL,
    shard bigint NOT NULL,
    calls bigint NOT NULL,
    PRIMARY KEY (day, shard)
);
