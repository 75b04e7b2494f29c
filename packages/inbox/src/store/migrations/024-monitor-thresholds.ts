/** Results in a row after which a monitor alerts. */
export default `
ALTER TABLE monitor ADD COLUMN failures INTEGER NOT NULL DEFAULT 1; -- failed results in a row that alert
ALTER TABLE monitor ADD COLUMN recoveries INTEGER NOT NULL DEFAULT 1; -- good results in a row that end the failure
ALTER TABLE monitor ADD COLUMN streak INTEGER NOT NULL DEFAULT 1; -- results in a row that are all good, or all failed
ALTER TABLE monitor ADD COLUMN alerting INTEGER NOT NULL DEFAULT 0; -- whether the failure was alerted
UPDATE monitor SET alerting = 1 WHERE status <> 'ok';
`
