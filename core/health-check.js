// Container health check over http or https, ignoring the certificate. Exits with 0 or 1.
import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'

const LIMIT_MS = 2_000
const listensAt = process.env['PLAYHEAD_HOST']?.trim() ?? ''
const address = {
  // A listener for all addresses also accepts this one.
  host: ['', '0.0.0.0', '::'].includes(listensAt) ? '127.0.0.1' : listensAt,
  port: Number(process.env['PLAYHEAD_PORT'] || 8787),
  path: '/api/health',
  timeout: LIMIT_MS,
}

/** @param {typeof getHttp} get @param {object} options @returns {Promise<boolean>} */
const answers = (get, options) =>
  new Promise((resolve) => {
    const request = get(options, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.on('error', () => resolve(false)).on('timeout', () => request.destroy())
  })

// The client connects to itself, so certificate verification adds nothing.
const isWell = (await answers(getHttp, address)) || (await answers(getHttps, { ...address, rejectUnauthorized: false }))
process.exit(isWell ? 0 : 1)
