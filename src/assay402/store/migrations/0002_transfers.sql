-- Each transfer is counted once. `transfer` names the very transfer that paid: network, transaction, and where its chain was
-- asked the transfer's place among the logs, as a transaction may hold several. Payments that were counted of one and the
-- same transaction before this version keep none, but for the first: `assay ledger verify` names them.
--
-- The release before this one writes no `transfer`, so it may be missing; the index lets that be.
--
-- The release before goes on serving meanwhile: each statement is a transaction of its own, those with $1 and $2 are done
-- for so many ids of the ledger at a time, and all may be done again.

ALTER TABLE ledger ADD COLUMN transfer text;
ALTER TABLE payments ADD COLUMN transfer text;
CREATE INDEX ledger_transaction ON ledger (network, lower(transaction_id)) WHERE kind = 'payment';
UPDATE ledger SET transfer = network || ' ' ||
        CASE WHEN substr(network, 1, 7) = 'eip155:' THEN lower(transaction_id) ELSE transaction_id END
    WHERE id BETWEEN $1 AND $2 AND transfer IS NULL AND kind = 'payment' AND NOT EXISTS (
        SELECT 1 FROM ledger e WHERE e.kind = 'payment' AND e.network = ledger.network
        AND lower(e.transaction_id) = lower(ledger.transaction_id) AND e.id < ledger.id
    );
UPDATE payments SET transfer = (SELECT l.transfer FROM ledger l WHERE l.id = payments.ledger_id)
    WHERE ledger_id BETWEEN $1 AND $2 AND transfer IS NULL;
CREATE UNIQUE INDEX ledger_transfer ON ledger (transfer) WHERE transfer IS NOT NULL;
CREATE UNIQUE INDEX payments_transfer ON payments (transfer) WHERE transfer IS NOT NULL;
