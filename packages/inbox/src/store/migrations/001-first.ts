/**
 * Times are milliseconds since the epoch unless a column says micros. Hours and days are counted since the epoch, in
 * UTC. In keys, `environment` is '' and `release` 0 if an event has none. Rollups are updated with each event, so that
 * no screen reads events to count them.
 */
export default `
CREATE TABLE setting (name TEXT PRIMARY KEY, value) WITHOUT ROWID;

CREATE TABLE project (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, key TEXT NOT NULL UNIQUE, created INTEGER NOT NULL, removed INTEGER
);

-- ids ascend in the order of the first boot or event
CREATE TABLE release (
  id INTEGER PRIMARY KEY, project INTEGER NOT NULL, version TEXT NOT NULL, first_seen INTEGER NOT NULL,
  last_seen INTEGER NOT NULL, new_issues INTEGER NOT NULL DEFAULT 0, regressions INTEGER NOT NULL DEFAULT 0,
  UNIQUE (project, version)
);
CREATE INDEX release_by_project ON release (project, id);

CREATE TABLE issue (
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused: rows of a deleted issue are removed later
  project INTEGER NOT NULL,
  type TEXT NOT NULL, value TEXT NOT NULL, culprit TEXT NOT NULL, level TEXT NOT NULL, side TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'unresolved', -- unresolved, regressed, resolved, ignored
  resolved_release INTEGER, -- newest release when the issue was resolved
  resolved_in_next INTEGER NOT NULL DEFAULT 0,
  -- number of events, or time, at which the issue reopens; an ignored issue with neither stays ignored
  ignored_until_events INTEGER, ignored_until INTEGER,
  first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL, first_release INTEGER, last_release INTEGER,
  events INTEGER NOT NULL DEFAULT 0, visitors INTEGER NOT NULL DEFAULT 0,
  in_old_release INTEGER NOT NULL DEFAULT 0, -- events of older releases since the issue was resolved
  changed INTEGER, -- time of the last change of state
  version INTEGER NOT NULL DEFAULT 1 -- of the state; a change must name the version it is based on
);
CREATE INDEX issue_by_last ON issue (project, state, last_seen, id);
CREATE INDEX issue_by_first ON issue (project, state, first_seen, id);
CREATE INDEX issue_by_events ON issue (project, state, events, id);
CREATE INDEX issue_by_visitors ON issue (project, state, visitors, id);
CREATE INDEX issue_by_first_release ON issue (first_release, id);
CREATE INDEX issue_ignored ON issue (ignored_until) WHERE ignored_until IS NOT NULL;

-- an issue can have many keys, so a merge or a new algorithm only changes rows
CREATE TABLE issue_key (
  id INTEGER PRIMARY KEY, project INTEGER NOT NULL, key TEXT NOT NULL, issue INTEGER NOT NULL,
  algorithm INTEGER NOT NULL, why TEXT NOT NULL, created INTEGER NOT NULL, merged_from INTEGER,
  UNIQUE (project, key)
);
CREATE INDEX issue_key_by_issue ON issue_key (issue);
CREATE INDEX issue_key_by_merged ON issue_key (merged_from) WHERE merged_from IS NOT NULL;

CREATE TABLE event (
  id INTEGER PRIMARY KEY, project INTEGER NOT NULL, event_id TEXT NOT NULL, issue INTEGER NOT NULL, key INTEGER NOT NULL,
  at INTEGER NOT NULL, received INTEGER NOT NULL, level TEXT NOT NULL, release INTEGER, environment TEXT NOT NULL,
  route TEXT, url TEXT, browser TEXT, visitor TEXT, digest TEXT, trace_id TEXT, span_id TEXT,
  UNIQUE (project, event_id)
);
CREATE INDEX event_by_issue ON event (issue, id);
CREATE INDEX event_by_trace ON event (trace_id) WHERE trace_id IS NOT NULL;
CREATE INDEX event_by_digest ON event (digest) WHERE digest IS NOT NULL;
CREATE INDEX event_by_received ON event (received);

-- a table of its own, so that event stays small; has no row if the payload was not stored
CREATE TABLE event_payload (event INTEGER PRIMARY KEY, codec TEXT NOT NULL, body BLOB NOT NULL);

CREATE TABLE issue_hour (issue INTEGER, hour INTEGER, events INTEGER NOT NULL, PRIMARY KEY (issue, hour)) WITHOUT ROWID;
CREATE TABLE issue_visitor (
  visitor TEXT, issue INTEGER, last_seen INTEGER NOT NULL, PRIMARY KEY (visitor, issue)
) WITHOUT ROWID;
CREATE INDEX issue_visitor_by_issue ON issue_visitor (issue);
-- release, environment, url, browser, os, transaction and all tags; '' counts the values above the maximum number
CREATE TABLE issue_tag (
  issue INTEGER, name TEXT, value TEXT, events INTEGER NOT NULL, last_seen INTEGER NOT NULL,
  PRIMARY KEY (issue, name, value)
) WITHOUT ROWID;
CREATE INDEX issue_tag_by_value ON issue_tag (name, value, issue);

CREATE TABLE activity (
  id INTEGER PRIMARY KEY AUTOINCREMENT, issue INTEGER NOT NULL, at INTEGER NOT NULL,
  who INTEGER, -- a person; null if an event or the clock caused it
  kind TEXT NOT NULL, data TEXT NOT NULL DEFAULT '{}',
  before TEXT -- previous values as JSON, if the change can be undone
);
CREATE INDEX activity_by_issue ON activity (issue, id);

-- unfinished jobs of issues with many events, which run in chunks
CREATE TABLE issue_chore (
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, -- remove, move, split, recount
  issue INTEGER NOT NULL, into_issue INTEGER, keys TEXT NOT NULL DEFAULT '[]', after INTEGER NOT NULL DEFAULT 0
);

-- merged: the titles of the issues that were merged into this one
CREATE VIRTUAL TABLE issue_search USING fts5 (type, value, culprit, url, merged, tokenize = "unicode61 tokenchars '_$'");
INSERT INTO issue_search (issue_search, rank) VALUES ('deletemerge', 0);

-- figures by hour: errors, visitors (each counted once an hour), visitor_days (once a day), sessions, sessions_errored,
-- sessions_crashed, sessions_abnormal, frames (of the team's code), frames_unresolved (those of them without a map)
CREATE TABLE figure_hour (
  project INTEGER, hour INTEGER, name TEXT, environment TEXT, release INTEGER, quantity INTEGER NOT NULL,
  PRIMARY KEY (project, name, hour, environment, release)
) WITHOUT ROWID;
CREATE TABLE visitor_hour (
  hour INTEGER, project INTEGER, visitor TEXT, environment TEXT, release INTEGER,
  PRIMARY KEY (hour, project, visitor, environment, release)
) WITHOUT ROWID;
CREATE TABLE session (
  project INTEGER, sid TEXT, started INTEGER NOT NULL, status TEXT NOT NULL, errors INTEGER NOT NULL,
  release INTEGER, environment TEXT NOT NULL, PRIMARY KEY (project, sid)
) WITHOUT ROWID;
CREATE INDEX session_by_started ON session (started);

-- spans of both models; a segment is the work of one process for one request or page, formerly a transaction
CREATE TABLE span (
  id INTEGER PRIMARY KEY, project INTEGER NOT NULL, trace_id TEXT NOT NULL, span_id TEXT NOT NULL, parent_id TEXT,
  is_segment INTEGER NOT NULL, segment_id TEXT, side TEXT NOT NULL, -- browser, server
  name TEXT NOT NULL, op TEXT NOT NULL, status TEXT NOT NULL, -- ok, error, cancelled
  start INTEGER NOT NULL, duration INTEGER NOT NULL, -- micros
  received INTEGER NOT NULL, release INTEGER, environment TEXT NOT NULL,
  attributes TEXT NOT NULL, -- JSON
  UNIQUE (trace_id, span_id)
);
CREATE INDEX span_segments_by_time ON span (project, start, id) WHERE is_segment = 1;
-- finds the slowest segments of each hour, and so of a day or a month, without reading the others
CREATE INDEX span_segments_by_hour ON span (project, start / 3600000000, duration, id) WHERE is_segment = 1;
CREATE INDEX span_segments_by_route ON span (project, name, start / 3600000000, duration, id) WHERE is_segment = 1;
CREATE INDEX span_segments_by_trace ON span (trace_id, start) WHERE is_segment = 1;
CREATE INDEX span_by_received ON span (received);

-- buckets are defined in packages/inbox/src/queries/rollups/buckets.ts
CREATE TABLE latency_hour (
  project INTEGER, hour INTEGER, side TEXT, route TEXT, environment TEXT, release INTEGER, bucket INTEGER,
  requests INTEGER NOT NULL, errors INTEGER NOT NULL,
  PRIMARY KEY (project, hour, side, route, environment, release, bucket)
) WITHOUT ROWID;
CREATE TABLE vital_hour (
  project INTEGER, hour INTEGER, vital TEXT, page TEXT, environment TEXT, release INTEGER, bucket INTEGER,
  samples INTEGER NOT NULL, PRIMARY KEY (project, hour, vital, page, environment, release, bucket)
) WITHOUT ROWID;
-- the same by day, for queries over weeks; triggers keep them up to date
CREATE TABLE latency_day (
  project INTEGER, day INTEGER, side TEXT, route TEXT, environment TEXT, release INTEGER, bucket INTEGER,
  requests INTEGER NOT NULL, errors INTEGER NOT NULL,
  PRIMARY KEY (project, day, side, route, environment, release, bucket)
) WITHOUT ROWID;
${toDayTriggers('latency', 'side', 'route', ['requests', 'errors'])}
CREATE TABLE vital_day (
  project INTEGER, day INTEGER, vital TEXT, page TEXT, environment TEXT, release INTEGER, bucket INTEGER,
  samples INTEGER NOT NULL, PRIMARY KEY (project, day, vital, page, environment, release, bucket)
) WITHOUT ROWID;
${toDayTriggers('vital', 'vital', 'page', ['samples'])}
-- names with rows in rollups: routes (kinds browser and server), environments, reasons of drops
CREATE TABLE known_name (
  project INTEGER, kind TEXT, name TEXT, last_day INTEGER NOT NULL, PRIMARY KEY (project, kind, name)
) WITHOUT ROWID;
-- the same without route and page, by hour and by six hours, for the overview; counts are JSON,
-- { "<bucket>": quantity }; triggers keep them up to date, and the retention deletes all rows of an hour together
${toTotal('latency', 'side', 'requests', 'hour')}
${toTotal('latency', 'side', 'requests', 'quarter')}
${toTotal('vital', 'vital', 'samples', 'hour')}
${toTotal('vital', 'vital', 'samples', 'quarter')}
-- web vitals of a trace; LCP, INP, TTFB and FCP in milliseconds, CLS without a unit
CREATE TABLE vital (
  trace_id TEXT, name TEXT, value REAL NOT NULL, at INTEGER NOT NULL, page TEXT NOT NULL, received INTEGER NOT NULL,
  PRIMARY KEY (trace_id, name)
) WITHOUT ROWID;
CREATE INDEX vital_by_received ON vital (received);

CREATE TABLE log (
  id INTEGER PRIMARY KEY, project INTEGER NOT NULL, at INTEGER NOT NULL, received INTEGER NOT NULL, level TEXT NOT NULL,
  trace_id TEXT, body TEXT NOT NULL, attributes TEXT NOT NULL
);
CREATE INDEX log_by_trace ON log (trace_id) WHERE trace_id IS NOT NULL;
CREATE INDEX log_by_received ON log (received);
CREATE TABLE feedback (
  id INTEGER PRIMARY KEY, project INTEGER NOT NULL, event_id TEXT NOT NULL, about TEXT, -- the event it comments on
  at INTEGER NOT NULL, received INTEGER NOT NULL, name TEXT, email TEXT, message TEXT NOT NULL, url TEXT,
  UNIQUE (project, event_id)
);
CREATE INDEX feedback_by_about ON feedback (about) WHERE about IS NOT NULL;
CREATE INDEX feedback_by_received ON feedback (received);
CREATE TABLE check_in (
  id INTEGER PRIMARY KEY, project INTEGER NOT NULL, check_in_id TEXT NOT NULL, monitor TEXT NOT NULL,
  status TEXT NOT NULL, duration REAL, environment TEXT NOT NULL, received INTEGER NOT NULL,
  UNIQUE (project, check_in_id)
);
CREATE INDEX check_in_by_received ON check_in (received);
CREATE TABLE attachment (
  id INTEGER PRIMARY KEY, project INTEGER NOT NULL, event_id TEXT NOT NULL, filename TEXT NOT NULL,
  content_type TEXT, size INTEGER NOT NULL, body BLOB, -- null if it exceeds the maximum size
  received INTEGER NOT NULL, UNIQUE (project, event_id, filename)
);
CREATE INDEX attachment_by_received ON attachment (received);
-- items of unknown types
CREATE TABLE raw_item (
  id INTEGER PRIMARY KEY, project INTEGER NOT NULL, received INTEGER NOT NULL, type TEXT NOT NULL, event_id TEXT,
  size INTEGER NOT NULL, body BLOB
);
CREATE INDEX raw_item_by_received ON raw_item (received);
-- items dropped by clients, the tunnel or the inbox, with the reason
CREATE TABLE drop_hour (
  project INTEGER, hour INTEGER, origin TEXT, reason TEXT, category TEXT, quantity INTEGER NOT NULL,
  PRIMARY KEY (hour, project, origin, reason, category)
) WITHOUT ROWID;

-- maps by debug id; the map of a file depends on the release, because the same code may have other source lines
CREATE TABLE source_map (debug_id TEXT PRIMARY KEY, size INTEGER NOT NULL, body BLOB NOT NULL); -- zstd
CREATE TABLE source_map_file (
  file TEXT, release TEXT, debug_id TEXT NOT NULL, imported INTEGER NOT NULL, last_used INTEGER NOT NULL,
  PRIMARY KEY (file, release)
) WITHOUT ROWID;
CREATE INDEX source_map_file_by_release ON source_map_file (release);
CREATE INDEX source_map_file_by_map ON source_map_file (debug_id);

CREATE TABLE person (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL, -- viewer, admin
  created INTEGER NOT NULL, last_seen INTEGER, removed INTEGER
);
CREATE TABLE person_session (
  hash TEXT PRIMARY KEY, person INTEGER NOT NULL, created INTEGER NOT NULL, last_seen INTEGER NOT NULL, client TEXT
) WITHOUT ROWID;
CREATE INDEX person_session_by_person ON person_session (person);
CREATE TABLE invitation (
  hash TEXT PRIMARY KEY, role TEXT NOT NULL, made_by INTEGER NOT NULL, created INTEGER NOT NULL,
  expires INTEGER NOT NULL, used_by INTEGER, revoked INTEGER,
  person INTEGER -- an existing person who may sign in again; null for a new person
) WITHOUT ROWID;
`

/** Triggers that keep a rollup by day up to date. */
function toDayTriggers(rollup: string, kind: string, name: string, quantities: [string, ...string[]]): string {
  const [hours, days] = [`${rollup}_hour`, `${rollup}_day`]
  const each = (toText: (quantity: string) => string) => quantities.map(toText).join(', ')
  const where = (row: 'new' | 'old') =>
    `WHERE project = ${row}.project AND day = ${row}.hour / 24 AND ${kind} = ${row}.${kind} AND ${name} = ${row}.${name}
    AND environment = ${row}.environment AND release = ${row}.release AND bucket = ${row}.bucket`
  return `CREATE TRIGGER ${days}_added AFTER INSERT ON ${hours} BEGIN
  INSERT INTO ${days}
  VALUES (new.project, new.hour / 24, new.${kind}, new.${name}, new.environment, new.release, new.bucket, ${each((quantity) => `new.${quantity}`)})
  ON CONFLICT DO UPDATE SET ${each((quantity) => `${quantity} = ${quantity} + excluded.${quantity}`)};
END;
CREATE TRIGGER ${days}_counted AFTER UPDATE ON ${hours} BEGIN
  UPDATE ${days} SET ${each((quantity) => `${quantity} = ${quantity} + new.${quantity} - old.${quantity}`)}
  ${where('new')};
END;
CREATE TRIGGER ${days}_removed AFTER DELETE ON ${hours} BEGIN
  UPDATE ${days} SET ${each((quantity) => `${quantity} = ${quantity} - old.${quantity}`)}
  ${where('old')};
  DELETE FROM ${days}
  ${where('old')} AND ${quantities[0]} <= 0;
END;`
}

/** A rollup without route and page, by hour or by six hours, with the triggers that keep it up to date. */
function toTotal(rollup: string, kind: string, quantity: string, unit: 'hour' | 'quarter'): string {
  const [hours, total] = [`${rollup}_hour`, unit === 'hour' ? `${rollup}_total` : `${rollup}_total_quarter`]
  const timeOf = (row: 'new' | 'old') => (unit === 'hour' ? `${row}.hour` : `${row}.hour / 6`)
  const where = (row: 'new' | 'old') =>
    `WHERE project = ${row}.project AND ${kind} = ${row}.${kind} AND ${unit} = ${timeOf(row)} AND environment = ${row}.environment
    AND release = ${row}.release`
  const counts = `counts = json_set(
    counts, '$.' || new.bucket, coalesce(json_extract(counts, '$.' || new.bucket), 0) + new.${quantity}`
  return `CREATE TABLE ${total} (
  project INTEGER, ${kind} TEXT, ${unit} INTEGER, environment TEXT, release INTEGER, counts TEXT NOT NULL,
  PRIMARY KEY (project, ${kind}, ${unit}, environment, release)
) WITHOUT ROWID;
CREATE TRIGGER ${total}_added AFTER INSERT ON ${hours} BEGIN
  INSERT INTO ${total}
  VALUES (new.project, new.${kind}, ${timeOf('new')}, new.environment, new.release, json_object('' || new.bucket, new.${quantity}))
  ON CONFLICT DO UPDATE SET ${counts});
END;
CREATE TRIGGER ${total}_counted AFTER UPDATE OF ${quantity} ON ${hours} BEGIN
  UPDATE ${total} SET ${counts} - old.${quantity})
  ${where('new')};
END;
CREATE TRIGGER ${total}_removed AFTER DELETE ON ${hours} BEGIN
  DELETE FROM ${total} ${where('old')};
END;`
}
