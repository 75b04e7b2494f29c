/**
 * Alerts. Ingest writes `alert_fact` in the transaction that changes an issue's state. The alert loop moves facts into
 * drafts, one for each channel and project, and drafts into messages.
 */
export default `
CREATE TABLE alert_channel (
  id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, -- webhook, slack, discord, mail
  name TEXT NOT NULL, target TEXT NOT NULL, -- a URL, or a mail address
  secret TEXT NOT NULL, -- signs webhooks, and the link that ends the mails
  group_window INTEGER NOT NULL, -- milliseconds
  quiet_from INTEGER, quiet_until INTEGER, -- minutes of the day in the zone
  zone TEXT NOT NULL, paused INTEGER, created INTEGER NOT NULL
);
CREATE TABLE alert_rule (
  id INTEGER PRIMARY KEY AUTOINCREMENT, project INTEGER NOT NULL, channel INTEGER NOT NULL,
  kind TEXT NOT NULL, -- new, regressed, reopened
  created INTEGER NOT NULL, UNIQUE (project, kind, channel)
);
CREATE TABLE alert_fact (
  id INTEGER PRIMARY KEY AUTOINCREMENT, project INTEGER NOT NULL, kind TEXT NOT NULL, issue INTEGER NOT NULL,
  at INTEGER NOT NULL
);
CREATE TABLE alert_draft (
  channel INTEGER NOT NULL, project INTEGER NOT NULL, opened INTEGER NOT NULL, check_at INTEGER NOT NULL,
  counts TEXT NOT NULL, items TEXT NOT NULL, -- JSON; items are the first changes
  PRIMARY KEY (channel, project)
);
CREATE TABLE alert_message (
  id TEXT PRIMARY KEY, channel INTEGER NOT NULL, project INTEGER NOT NULL,
  body TEXT NOT NULL, -- JSON
  state TEXT NOT NULL, -- waiting, sent, dead
  created INTEGER NOT NULL, attempts INTEGER NOT NULL, due INTEGER NOT NULL, finished INTEGER, error TEXT
);
CREATE INDEX alert_message_by_state ON alert_message (state, due);
CREATE INDEX alert_message_by_channel ON alert_message (channel, project, created);
CREATE INDEX alert_message_by_created ON alert_message (created);
CREATE INDEX alert_message_by_channel_created ON alert_message (channel, created);
`
