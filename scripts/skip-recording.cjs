'use strict'

/*
 * Loaded before everything else of a test process. tap records which files a test loads, for coverage and `--changed`,
 * which this project does not use: it reads each file once more and measures its lines, in worker threads too. A
 * pattern that excludes all files saves a quarter of the processor time of a test file.
 */
process.env._TAPJS_PROCESSINFO_EXCLUDE_ = '/./'
