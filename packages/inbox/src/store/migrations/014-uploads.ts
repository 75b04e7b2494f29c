/** Releases, deploys and source maps that build tools send. */
export default `
ALTER TABLE release ADD COLUMN released INTEGER; -- when a build tool finalized it
CREATE TABLE release_commit (
  release INTEGER NOT NULL, position INTEGER NOT NULL, -- newest first
  commit_id TEXT NOT NULL, title TEXT NOT NULL, author TEXT, at INTEGER, PRIMARY KEY (release, position)
) WITHOUT ROWID;
CREATE TABLE deploy (
  id INTEGER PRIMARY KEY AUTOINCREMENT, release INTEGER NOT NULL, environment TEXT NOT NULL, name TEXT, url TEXT,
  started INTEGER, finished INTEGER NOT NULL
);
CREATE INDEX deploy_by_release ON deploy (release, id);

-- parts of bundles that are not complete yet
CREATE TABLE upload_chunk (
  sha1 TEXT PRIMARY KEY, size INTEGER NOT NULL, received INTEGER NOT NULL, body BLOB NOT NULL
);
CREATE TABLE uploaded_map (
  id INTEGER PRIMARY KEY, project INTEGER NOT NULL,
  release TEXT NOT NULL, debug_id TEXT NOT NULL, -- empty without one
  file TEXT NOT NULL, -- path of the code
  map TEXT NOT NULL, -- debug_id of source_map: the hash of the map, since maps of one debug id may differ
  uploaded INTEGER NOT NULL, last_used INTEGER NOT NULL, UNIQUE (project, release, file, debug_id)
);
CREATE INDEX uploaded_map_by_debug_id ON uploaded_map (project, debug_id);
CREATE INDEX uploaded_map_by_map ON uploaded_map (map);
`
