/** Keys of the envelopes that were stored last: one that is delivered again is known by it. */
export default `
CREATE TABLE delivery (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE);
`
