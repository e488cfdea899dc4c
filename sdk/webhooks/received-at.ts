// When a webhook arrived: the host delivers kept ones later, with their time in a header that only it can set.
import type { FastifyRequest } from 'fastify'

/** Epoch milliseconds. The host removes it from requests of others. */
export const RECEIVED_AT_HEADER = 'x-playhead-received-at'

/** When the host received this request, epoch milliseconds, if it kept it while the plugin was not running. */
export function receivedAtMs({ headers }: Pick<FastifyRequest, 'headers'>): number | undefined {
  const value = headers[RECEIVED_AT_HEADER]
  return value === undefined ? undefined : Number(value)
}
