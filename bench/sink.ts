import { createServer } from 'node:http'

let delay = 0
let taken = 0

/** A provider that accepts everything, at once or after the given milliseconds. */
createServer(function take(request, response) {
  request.resume()
  request.once('end', () => {
    taken++
    if (delay === 0) response.end('{}')
    else setTimeout(() => response.end('{}'), delay)
  })
}).listen(Number(process.env.PORT), '127.0.0.1', () => process.send!(taken))

process.on('message', (told: { delay?: number }) => {
  delay = told.delay ?? delay
  process.send!(taken)
})
