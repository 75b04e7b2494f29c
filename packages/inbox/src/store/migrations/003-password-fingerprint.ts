/**
 * Keyed fingerprint of the INBOX_PASSWORD by which a session was opened; null for a session opened by a link, and for
 * sessions that are older than this column.
 */
export default `
ALTER TABLE person_session ADD COLUMN password_fingerprint TEXT;
`
