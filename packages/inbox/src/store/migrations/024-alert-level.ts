/** Alerts for issues of a level, or a higher one, only. A rule from before alerts of every level. */
export default `
ALTER TABLE alert_rule ADD COLUMN level TEXT NOT NULL DEFAULT 'debug'; -- the lowest
`
