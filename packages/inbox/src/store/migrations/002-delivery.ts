/** Keys of the last stored batches, to recognise a batch that is delivered again. */
export default `
CREATE TABLE delivery (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE);
`
