/** Codes that confirm the mail addresses of people. */
export default `
ALTER TABLE alert_channel ADD COLUMN code TEXT; -- null: confirmed, or a channel of the team
`
