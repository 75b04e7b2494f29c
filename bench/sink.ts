import { createServer } from 'node:http'

let delay = 0
let received = 0

/** A provider that accepts every request, and responds at once or after `delay` milliseconds. */
createServer(function receive(request, response) {
  request.resume()
  request.once('end', () => {
    received++
    if (delay === 0) response.end('{}')
    else setTimeout(() => response.end('{}'), delay)
  })
}).listen(Number(process.env.PORT), '127.0.0.1', () => process.send!(received))

process.on('message', (settings: { delay?: number }) => {
  delay = settings.delay ?? delay
  process.send!(received)
})
