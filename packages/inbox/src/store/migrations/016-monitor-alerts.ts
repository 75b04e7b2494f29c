/** Facts for alerts are also about monitors. */
export default `
ALTER TABLE alert_fact RENAME COLUMN issue TO subject; -- id of the issue, or of the monitor
`
