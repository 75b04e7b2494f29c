/** The person to whom an issue is assigned. */
export default `
ALTER TABLE issue ADD COLUMN assignee INTEGER; -- null: nobody
CREATE INDEX issue_assignee ON issue (assignee) WHERE assignee IS NOT NULL;
`
