/** For the list of feedback. */
export default 'CREATE INDEX feedback_by_time ON feedback (project, at, id);'
