import { createServer } from 'node:http'

/** A provider that takes everything, at once. */
createServer(function take(request, response) {
  request.resume()
  request.once('end', () => response.end('{}'))
}).listen(Number(process.env.PORT), '127.0.0.1', () => process.send!('listening'))
