/** Tokens of programs that use the API. Only the hash of a token is stored. */
export default `
CREATE TABLE api_token (
  id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, name TEXT NOT NULL, scope TEXT NOT NULL, -- read, write
  person INTEGER NOT NULL, created INTEGER NOT NULL, last_used INTEGER, revoked INTEGER
);
`
