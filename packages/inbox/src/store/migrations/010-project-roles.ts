/** Roles of people in single projects. */
export default `
CREATE TABLE person_project (
  person INTEGER NOT NULL, project INTEGER NOT NULL, role TEXT NOT NULL, -- none, viewer, member, admin
  PRIMARY KEY (person, project)
) WITHOUT ROWID;
ALTER TABLE invitation ADD COLUMN project INTEGER; -- null: the role is for all projects
`
