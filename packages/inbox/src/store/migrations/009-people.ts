/** Passwords of people, people of a sign-in service, sessions with an end, and the audit log. */
export default `
ALTER TABLE person ADD COLUMN password TEXT; -- argon2id, in the PHC format
ALTER TABLE person ADD COLUMN subject TEXT; -- issuer and subject at the sign-in service
CREATE UNIQUE INDEX person_by_subject ON person (subject);
ALTER TABLE person_session ADD COLUMN expires INTEGER; -- null: ends after 30 days without use
CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL,
  who INTEGER, -- null: nobody who is signed in
  kind TEXT NOT NULL, person INTEGER, -- the person whom it is about
  detail TEXT
);
`
