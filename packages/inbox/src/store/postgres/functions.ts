/*
 * Functions, triggers and the full-text index of the inbox on PostgreSQL, which the SQLite file has built in or writes
 * in another language.
 */

/**
 * Functions of SQLite that queries use.
 *
 * - `read_json` reads lists that have words of a search, among others. NUL characters, and halves of surrogate pairs,
 *   which `jsonb` refuses, become U+FFFD. `JSON.stringify` does not escape whole pairs.
 * - `json_items` is SQLite's `json_each`, whose name PostgreSQL uses for another function.
 * - `max` and `min` of two values are null if one of them is.
 */
export const FUNCTIONS = `
CREATE FUNCTION read_json(document text) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN strpos(document, '\\u') = 0 THEN document
    ELSE regexp_replace(document, '\\\\u(0000|d[89a-f][0-9a-f]{2})', '\\\\ufffd', 'g') END::jsonb
$$;
CREATE FUNCTION json_items(list text) RETURNS TABLE (key text, value text, type text) LANGUAGE sql IMMUTABLE ROWS 20 AS $$
  SELECT (place - 1)::text, item #>> '{}', jsonb_typeof(item)
    FROM jsonb_array_elements(CASE WHEN jsonb_typeof(read_json(list)) = 'array' THEN read_json(list) ELSE '[]' END)
    WITH ORDINALITY AS items (item, place)
  UNION ALL
  SELECT pair.key, pair.value #>> '{}', CASE WHEN jsonb_typeof(pair.value) = 'boolean' THEN pair.value #>> '{}' ELSE jsonb_typeof(pair.value) END
    FROM jsonb_each(CASE WHEN jsonb_typeof(read_json(list)) = 'object' THEN read_json(list) ELSE '{}' END) AS pair
$$;
CREATE FUNCTION json_extract(document text, path text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT read_json(document) #>> string_to_array(substr(path, 3), '.')
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
 * case and accents. `to_search` reads the queries of `packages/inbox/src/queries/issues/criteria.ts`: phrases in quotation
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

interface RolledUp {
  /** Rollup by hour. Those by day and the totals have the same beginning of their names. */
  source: 'latency' | 'vital'
  /** Columns of the key that the totals keep, and that they leave out. */
  kind: string
  name: string
  /** Columns that are added up. The totals have the first. */
  quantities: readonly [string, ...string[]]
}

/** A trigger that keeps the rollup by day and the totals of `001-first.ts` up to date. */
function rollUp({ source, kind, name, quantities }: RolledUp): string {
  const [hours, days] = [`${source}_hour`, `${source}_day`]
  const columns = [kind, name, 'environment', 'release', 'bucket']
  const each = (toText: (column: string) => string, between: string) => quantities.map(toText).join(between)
  const day = `project = OLD.project AND day = OLD.hour / 24 AND ${columns.map((column) => `${column} = OLD.${column}`).join(' AND ')}`
  return `
CREATE FUNCTION roll_up_${source}() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE ${each((quantity) => `added_${quantity} bigint;`, ' ')}
BEGIN
  IF TG_OP = 'DELETE' THEN
    UPDATE ${days} SET ${each((quantity) => `${quantity} = ${quantity} - OLD.${quantity}`, ', ')} WHERE ${day};
    DELETE FROM ${days} WHERE ${day} AND ${quantities[0]} <= 0;
  ELSE
    ${each((quantity) => `added_${quantity} := NEW.${quantity} - CASE WHEN TG_OP = 'UPDATE' THEN OLD.${quantity} ELSE 0 END;`, '\n    ')}
    INSERT INTO ${days} (project, day, ${columns.join(', ')}, ${quantities.join(', ')})
      VALUES (NEW.project, NEW.hour / 24, ${columns.map((column) => `NEW.${column}`).join(', ')}, ${each((quantity) => `added_${quantity}`, ', ')})
      ON CONFLICT (project, day, ${columns.join(', ')})
      DO UPDATE SET ${each((quantity) => `${quantity} = ${days}.${quantity} + added_${quantity}`, ', ')};
  END IF;${toTotal(`${source}_total`, kind, quantities[0], 'hour', 'NEW.hour')}${toTotal(`${source}_total_quarter`, kind, quantities[0], 'quarter', 'NEW.hour / 6')}
  RETURN NULL;
END $$;
CREATE TRIGGER ${hours}_rolled_up AFTER INSERT OR UPDATE OR DELETE ON ${hours} FOR EACH ROW EXECUTE FUNCTION roll_up_${source}();
`
}

/** Adds to the counts by bucket in the JSON of a row without route or page; a deletion removes the row. */
const toTotal = (table: string, kind: string, quantity: string, unit: 'hour' | 'quarter', time: string) => `
  IF TG_OP = 'DELETE' THEN
    DELETE FROM ${table} WHERE project = OLD.project AND ${kind} = OLD.${kind} AND ${unit} = ${time.replace('NEW', 'OLD')}
      AND environment = OLD.environment AND release = OLD.release;
  ELSIF added_${quantity} <> 0 OR TG_OP = 'INSERT' THEN
    INSERT INTO ${table} (project, ${kind}, ${unit}, environment, release, counts)
      VALUES (NEW.project, NEW.${kind}, ${time}, NEW.environment, NEW.release, jsonb_build_object(NEW.bucket::text, added_${quantity})::text)
      ON CONFLICT (project, ${kind}, ${unit}, environment, release) DO UPDATE SET counts = (${table}.counts::jsonb
        || jsonb_build_object(NEW.bucket::text, coalesce((${table}.counts::jsonb ->> NEW.bucket::text)::bigint, 0) + added_${quantity}))::text;
  END IF;`

export const TRIGGERS =
  rollUp({ source: 'latency', kind: 'side', name: 'route', quantities: ['requests', 'errors'] }) +
  rollUp({ source: 'vital', kind: 'vital', name: 'page', quantities: ['samples'] })
