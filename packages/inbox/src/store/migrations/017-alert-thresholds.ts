/** Alerts on figures: a spike of errors, crash-free sessions, a web vital. */
export default `
CREATE TABLE alert_threshold (
  id INTEGER PRIMARY KEY AUTOINCREMENT, project INTEGER NOT NULL, channel INTEGER NOT NULL,
  kind TEXT NOT NULL, -- spike, crash-free, vital
  issue INTEGER, -- of a spike; null for all errors of the project
  vital TEXT, -- LCP, INP, CLS, TTFB or FCP
  bound REAL NOT NULL, -- times the usual rate; percent of the sessions; milliseconds, for CLS without a unit
  minimum INTEGER NOT NULL, -- events, sessions or samples below which nothing is decided
  tells_end INTEGER NOT NULL, enabled INTEGER NOT NULL, created INTEGER NOT NULL,
  firing_since INTEGER, -- null: does not fire
  calm_since INTEGER -- it fires, and its figure is within the bound since then
);
`
