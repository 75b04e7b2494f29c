/** Folder of a project in its repository. */
export default `
ALTER TABLE project ADD COLUMN repository_folder TEXT; -- null: the whole repository
`
