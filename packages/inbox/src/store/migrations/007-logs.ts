/** Log lines by time, for the list of logs. Lines of older files have no environment. */
export default `
ALTER TABLE log ADD COLUMN environment TEXT NOT NULL DEFAULT '';
CREATE INDEX log_by_time ON log (project, at, id);
`
