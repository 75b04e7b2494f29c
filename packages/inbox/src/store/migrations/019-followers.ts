/** People who follow issues, and the mail channels of people. */
export default `
CREATE TABLE issue_follower (
  issue INTEGER NOT NULL, person INTEGER NOT NULL, PRIMARY KEY (issue, person)
) WITHOUT ROWID;
CREATE INDEX issue_follower_by_person ON issue_follower (person, issue);
CREATE TRIGGER issue_follower_end AFTER DELETE ON issue BEGIN
  DELETE FROM issue_follower WHERE issue = old.id;
END;
ALTER TABLE alert_channel ADD COLUMN person INTEGER; -- null: of the team
CREATE UNIQUE INDEX alert_channel_by_person ON alert_channel (person) WHERE person IS NOT NULL;
`
