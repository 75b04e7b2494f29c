/** Figures that count a visitor once in a release, once in an environment and once in a project. */
export default [
  ['visitors_of_release', `''`, 'release', 'hour'],
  ['visitor_days_of_release', `''`, 'release', 'hour / 24'],
  ['visitors_of_environment', 'environment', '0', 'hour'],
  ['visitor_days_of_environment', 'environment', '0', 'hour / 24'],
  ['visitors_of_project', `''`, '0', 'hour'],
  ['visitor_days_of_project', `''`, '0', 'hour / 24']
]
  .map(
    ([name, environment, release, time]) => `
INSERT INTO figure_hour (project, hour, name, environment, release, quantity)
SELECT project, hour, '${name}', environment, release, count(*) FROM (
  SELECT project, min(hour) AS hour, ${environment} AS environment, ${release} AS release
  FROM visitor_hour GROUP BY project, visitor, ${time}, 3, 4
) AS visits GROUP BY project, hour, environment, release;`
  )
  .join('')
