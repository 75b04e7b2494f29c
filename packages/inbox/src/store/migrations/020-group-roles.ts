/** Whether a role in a project comes from a group of the sign-in service, which then may take it away. */
export default `
ALTER TABLE person_project ADD COLUMN by_groups INTEGER NOT NULL DEFAULT 0;
`
