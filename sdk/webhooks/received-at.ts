// Arrival times of webhooks: the host delivers stored requests later, with their time in a header that only it can set.
import type { FastifyRequest } from 'fastify'

/** Epoch milliseconds. The host removes the header from incoming requests. */
export const RECEIVED_AT_HEADER = 'x-playhead-received-at'

/** When the host received this request, epoch milliseconds, if it stored it while the plugin was not running. */
export function receivedAtMs({ headers }: Pick<FastifyRequest, 'headers'>): number | undefined {
  const value = headers[RECEIVED_AT_HEADER]
  return value === undefined ? undefined : Number(value)
}
