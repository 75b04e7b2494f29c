/** Alerts for some environments only. */
export default `
ALTER TABLE alert_rule ADD COLUMN environments TEXT NOT NULL DEFAULT '[]'; -- JSON, names; none: all
ALTER TABLE alert_threshold ADD COLUMN environment TEXT; -- null: all
ALTER TABLE alert_fact ADD COLUMN environment TEXT; -- of the event or the monitor; null: no event made the change
-- 1: the issue is known, but not in this environment
ALTER TABLE alert_fact ADD COLUMN is_known_elsewhere INTEGER NOT NULL DEFAULT 0;
`
