/** Monitors that have failed have alerted. */
export const FAILED_MONITORS = `UPDATE monitor SET alerting = 1 WHERE status <> 'ok';`

/** Alerts for some environments only, and about monitors after some results in a row. */
export default `
ALTER TABLE alert_rule ADD COLUMN environments TEXT NOT NULL DEFAULT '[]'; -- JSON, names; none: all
ALTER TABLE alert_threshold ADD COLUMN environment TEXT; -- null: all
ALTER TABLE alert_fact ADD COLUMN environment TEXT; -- of the event or the monitor; null: no event made the change
-- 1: the issue is known, but not in this environment
ALTER TABLE alert_fact ADD COLUMN is_known_elsewhere INTEGER NOT NULL DEFAULT 0;
ALTER TABLE monitor ADD COLUMN failures INTEGER NOT NULL DEFAULT 1; -- failed results in a row that alert
ALTER TABLE monitor ADD COLUMN recoveries INTEGER NOT NULL DEFAULT 1; -- good results in a row that end the failure
ALTER TABLE monitor ADD COLUMN streak INTEGER NOT NULL DEFAULT 1; -- results in a row that are all good, or all failed
ALTER TABLE monitor ADD COLUMN alerting INTEGER NOT NULL DEFAULT 0; -- whether the failure was alerted
${FAILED_MONITORS}
`
