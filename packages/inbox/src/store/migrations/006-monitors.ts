/**
 * Monitors of jobs that check in. Ingest sets `plan_from`; maintenance then computes `next` and `due`, because the next
 * time of a crontab takes a library and up to 70 ms. A row of `check_in` with the status `missed` stands for one or more
 * check-ins in a row that did not arrive: `received` and `finished` are the first and the last expected time.
 */
export default `
CREATE TABLE monitor (
  id INTEGER PRIMARY KEY AUTOINCREMENT, project INTEGER NOT NULL, slug TEXT NOT NULL, environment TEXT NOT NULL,
  crontab TEXT, every INTEGER, unit TEXT, -- a crontab, or an interval: minute, hour, day, week, month, year
  zone TEXT NOT NULL, margin INTEGER NOT NULL, max_runtime INTEGER NOT NULL, -- milliseconds
  status TEXT, -- last result: ok, error, missed, timeout
  last_received INTEGER NOT NULL,
  plan_from INTEGER, next INTEGER, due INTEGER, -- due: when a check-in expected at next counts as missed
  UNIQUE (project, slug, environment)
);
CREATE INDEX monitor_to_plan ON monitor (id) WHERE plan_from IS NOT NULL;
CREATE INDEX monitor_by_due ON monitor (due) WHERE due IS NOT NULL;

ALTER TABLE check_in ADD COLUMN monitor_id INTEGER;
ALTER TABLE check_in ADD COLUMN finished INTEGER;
ALTER TABLE check_in ADD COLUMN expires INTEGER; -- when a job in progress has run for too long
ALTER TABLE check_in ADD COLUMN missed INTEGER; -- number of check-ins, if the status is missed
ALTER TABLE check_in ADD COLUMN trace_id TEXT;
INSERT INTO monitor (project, slug, environment, zone, margin, max_runtime, status, last_received)
  SELECT project, monitor, environment, 'UTC', 60000, 1800000, nullif(status, 'in_progress'), max(received)
  FROM check_in GROUP BY project, monitor, environment;
UPDATE check_in SET expires = received + 1800000, monitor_id = (SELECT id FROM monitor
  WHERE monitor.project = check_in.project AND slug = check_in.monitor AND monitor.environment = check_in.environment);
CREATE INDEX check_in_by_monitor ON check_in (monitor_id, id);
CREATE INDEX check_in_by_expiry ON check_in (expires) WHERE status = 'in_progress';
`
