/** For the bytes of a project's attachments, and the oldest of them. */
export default `
CREATE INDEX attachment_by_project ON attachment (project, received, id, size) WHERE body IS NOT NULL;
`
