/*
 * Functions, triggers and the full-text index of the inbox on PostgreSQL, which the SQLite file has built in or writes
 * in another language.
 */

/**
 * Functions of SQLite that queries use.
 *
 * - `json_items` is SQLite's `json_each`, whose name PostgreSQL uses for another function.
 * - `max` and `min` of two values are null if one of them is.
 */
export const FUNCTIONS = `
CREATE FUNCTION json_items(list text) RETURNS TABLE (key text, value text, type text) LANGUAGE sql IMMUTABLE ROWS 20 AS $$
  SELECT (place - 1)::text, item #>> '{}', jsonb_typeof(item)
    FROM jsonb_array_elements(CASE WHEN jsonb_typeof(list::jsonb) = 'array' THEN list::jsonb ELSE '[]' END)
    WITH ORDINALITY AS items (item, place)
  UNION ALL
  SELECT pair.key, pair.value #>> '{}', CASE WHEN jsonb_typeof(pair.value) = 'boolean' THEN pair.value #>> '{}' ELSE jsonb_typeof(pair.value) END
    FROM jsonb_each(CASE WHEN jsonb_typeof(list::jsonb) = 'object' THEN list::jsonb ELSE '{}' END) AS pair
$$;
CREATE FUNCTION json_extract(document text, path text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT document::jsonb #>> string_to_array(substr(path, 3), '.')
$$;
CREATE FUNCTION max(a bigint, b bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT CASE WHEN a > b THEN a WHEN b >= a THEN b END $$;
CREATE FUNCTION min(a bigint, b bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT CASE WHEN a < b THEN a WHEN b <= a THEN b END $$;
CREATE FUNCTION instr(text text, part text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT position(part in text) $$;
CREATE FUNCTION add_to_list(list text, item bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT coalesce(list || ',', '') || item $$;
CREATE AGGREGATE group_concat(bigint) (SFUNC = add_to_list, STYPE = text);
CREATE FUNCTION close_array(list text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT '[' || coalesce(list, '') || ']' $$;
CREATE AGGREGATE json_group_array(bigint) (SFUNC = add_to_list, STYPE = text, FINALFUNC = close_array);
CREATE FUNCTION add_member(object jsonb, name bigint, value text) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT object || jsonb_build_object(name::text, value)
$$;
CREATE FUNCTION to_text(object jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT object::text $$;
CREATE AGGREGATE json_group_object(bigint, text) (SFUNC = add_member, STYPE = jsonb, INITCOND = '{}', FINALFUNC = to_text);
`

/**
 * The full-text index of issues, with the rules of the SQLite file: words are letters, digits, `_` and `$`, without
 * case and accents. `to_search` reads the queries of `packages/inbox/src/queries/criteria.ts`: phrases in quotation
 * marks, after `url : ` in the column `url` only, before ` *` as the beginning of a word.
 */
export const SEARCH = `
CREATE FUNCTION to_words(content text) RETURNS TABLE (word text, place bigint) LANGUAGE sql IMMUTABLE ROWS 20 AS $$
  SELECT left(words.word, 400), row_number() OVER (ORDER BY words.place) FROM regexp_split_to_table(
    regexp_replace(lower(normalize(coalesce(content, ''), NFD) COLLATE "und-x-icu"), '[\u0300-\u036f]', '', 'g'),
    '[\\x01-\\x23\\x25-\\x2f\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\xbf\u2000-\u206f\u3000-\u303f]+'
  ) WITH ORDINALITY AS words (word, place) WHERE words.word <> ''
$$;
CREATE FUNCTION to_vector(content text, label text) RETURNS tsvector LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(string_agg('''' || word || ''':' || least(place, 16383) || label, ' '), '')::tsvector FROM to_words(content)
$$;
CREATE TABLE issue_search (
  rowid BIGINT PRIMARY KEY, type TEXT COLLATE "C", value TEXT COLLATE "C", culprit TEXT COLLATE "C", url TEXT COLLATE "C",
  merged TEXT COLLATE "C", words tsvector NOT NULL
);
CREATE INDEX issue_search_by_words ON issue_search USING gin (words);
CREATE FUNCTION index_words() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  NEW.words := to_vector(NEW.type, 'A') || to_vector(NEW.value, 'A') || to_vector(NEW.culprit, 'A')
    || to_vector(NEW.url, 'B') || to_vector(NEW.merged, 'A');
  RETURN NEW;
END $$;
CREATE TRIGGER issue_search_words BEFORE INSERT OR UPDATE ON issue_search FOR EACH ROW EXECUTE FUNCTION index_words();
CREATE FUNCTION to_phrase(content text, is_start boolean, label text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT string_agg('''' || word || ''':' || CASE WHEN is_start AND place = number THEN '*' ELSE '' END || label, ' <-> ' ORDER BY place)
    FROM (SELECT word, place, count(*) OVER () AS number FROM to_words(content)) AS words
$$;
CREATE FUNCTION to_search(query text) RETURNS tsquery LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(string_agg(phrase, ' & '), '')::tsquery FROM (
    SELECT to_phrase(replace(part[2], '""', '"'), part[3] IS NOT NULL, CASE WHEN part[1] IS NULL THEN 'AB' ELSE 'B' END) AS phrase
      FROM regexp_matches(query, '(url : )?"((?:[^"]|"")*)"( \\*)?', 'g') AS part
  ) AS phrases WHERE phrase IS NOT NULL
$$;
`

/** Text of a trigger function that adds the change of a rollup row to coarser rollups. */
const rollUp = (source: string, change: string, statements: string) => `
CREATE FUNCTION roll_up_${source}() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE ${change}
BEGIN
${statements}
  RETURN NULL;
END $$;
CREATE TRIGGER ${source}_rolled_up AFTER INSERT OR UPDATE OR DELETE ON ${source} FOR EACH ROW EXECUTE FUNCTION roll_up_${source}();
`

/** Adds to the counts by bucket in the JSON of a row without route or page; a deletion removes the row. */
const toTotal = (table: string, kind: 'side' | 'vital', unit: 'hour' | 'quarter', time: string) => `
  IF TG_OP = 'DELETE' THEN
    DELETE FROM ${table} WHERE project = OLD.project AND ${kind} = OLD.${kind} AND ${unit} = ${time.replace('NEW', 'OLD')}
      AND environment = OLD.environment AND release = OLD.release;
  ELSIF added <> 0 OR TG_OP = 'INSERT' THEN
    INSERT INTO ${table} (project, ${kind}, ${unit}, environment, release, counts)
      VALUES (NEW.project, NEW.${kind}, ${time}, NEW.environment, NEW.release, jsonb_build_object(NEW.bucket::text, added)::text)
      ON CONFLICT (project, ${kind}, ${unit}, environment, release) DO UPDATE SET counts = (${table}.counts::jsonb
        || jsonb_build_object(NEW.bucket::text, coalesce((${table}.counts::jsonb ->> NEW.bucket::text)::bigint, 0) + added))::text;
  END IF;`

/** Triggers that keep the rollups by day and the totals of `001-first.ts` up to date. */
export const TRIGGERS = `${rollUp(
  'latency_hour',
  'added bigint; added_errors bigint;',
  `  IF TG_OP = 'DELETE' THEN
    UPDATE latency_day SET requests = requests - OLD.requests, errors = errors - OLD.errors
      WHERE project = OLD.project AND day = OLD.hour / 24 AND side = OLD.side AND route = OLD.route
        AND environment = OLD.environment AND release = OLD.release AND bucket = OLD.bucket;
    DELETE FROM latency_day
      WHERE project = OLD.project AND day = OLD.hour / 24 AND side = OLD.side AND route = OLD.route
        AND environment = OLD.environment AND release = OLD.release AND bucket = OLD.bucket AND requests <= 0;
  ELSE
    added := NEW.requests - CASE WHEN TG_OP = 'UPDATE' THEN OLD.requests ELSE 0 END;
    added_errors := NEW.errors - CASE WHEN TG_OP = 'UPDATE' THEN OLD.errors ELSE 0 END;
    INSERT INTO latency_day (project, day, side, route, environment, release, bucket, requests, errors)
      VALUES (NEW.project, NEW.hour / 24, NEW.side, NEW.route, NEW.environment, NEW.release, NEW.bucket, added, added_errors)
      ON CONFLICT (project, day, side, route, environment, release, bucket)
      DO UPDATE SET requests = latency_day.requests + added, errors = latency_day.errors + added_errors;
  END IF;${toTotal('latency_total', 'side', 'hour', 'NEW.hour')}${toTotal('latency_total_quarter', 'side', 'quarter', 'NEW.hour / 6')}`
)}${rollUp(
  'vital_hour',
  'added bigint;',
  `  IF TG_OP = 'DELETE' THEN
    UPDATE vital_day SET samples = samples - OLD.samples
      WHERE project = OLD.project AND day = OLD.hour / 24 AND vital = OLD.vital AND page = OLD.page
        AND environment = OLD.environment AND release = OLD.release AND bucket = OLD.bucket;
    DELETE FROM vital_day
      WHERE project = OLD.project AND day = OLD.hour / 24 AND vital = OLD.vital AND page = OLD.page
        AND environment = OLD.environment AND release = OLD.release AND bucket = OLD.bucket AND samples <= 0;
  ELSE
    added := NEW.samples - CASE WHEN TG_OP = 'UPDATE' THEN OLD.samples ELSE 0 END;
    INSERT INTO vital_day (project, day, vital, page, environment, release, bucket, samples)
      VALUES (NEW.project, NEW.hour / 24, NEW.vital, NEW.page, NEW.environment, NEW.release, NEW.bucket, added)
      ON CONFLICT (project, day, vital, page, environment, release, bucket)
      DO UPDATE SET samples = vital_day.samples + added;
  END IF;${toTotal('vital_total', 'vital', 'hour', 'NEW.hour')}${toTotal('vital_total_quarter', 'vital', 'quarter', 'NEW.hour / 6')}`
)}`
