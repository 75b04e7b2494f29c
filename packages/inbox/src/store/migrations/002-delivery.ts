/** Keys of the batches and spooled envelopes that were stored last, to recognise one that is delivered again. */
export default `
CREATE TABLE delivery (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE);
`
