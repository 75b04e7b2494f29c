/**
 * Keyed fingerprint of the INBOX_PASSWORD that opened a session. Null for a session opened by a link, and for sessions
 * older than this column.
 */
export default `
ALTER TABLE person_session ADD COLUMN password_fingerprint TEXT;
`
