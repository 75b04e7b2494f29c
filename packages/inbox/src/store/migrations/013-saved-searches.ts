/** Searches of the list of issues that people keep under a name. */
export default `
CREATE TABLE saved_search (
  id INTEGER PRIMARY KEY AUTOINCREMENT, person INTEGER, -- null: shared with everybody
  project INTEGER, -- null: all projects
  name TEXT NOT NULL, query TEXT NOT NULL, sort TEXT NOT NULL, created INTEGER NOT NULL
);
`
