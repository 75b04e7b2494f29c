/** Where the source of a project is, and the commit of a release if the application stated it. */
export default `
ALTER TABLE project ADD COLUMN repository_host TEXT; -- github, gitlab, gitea
ALTER TABLE project ADD COLUMN repository_url TEXT;
ALTER TABLE release ADD COLUMN commit_id TEXT;
`
