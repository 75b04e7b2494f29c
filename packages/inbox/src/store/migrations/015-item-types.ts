/** Every type of item that was received, for the doctor. Retention keeps it. */
export default `
CREATE TABLE item_type (
  type TEXT PRIMARY KEY, stored INTEGER NOT NULL, dropped INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL
) WITHOUT ROWID;
`
