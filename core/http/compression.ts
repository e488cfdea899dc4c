// Compresses larger responses with gzip. Streams are excluded: event streams must not be buffered, and downloads are
// mostly compressed already.
import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

const WORTH_BYTES = 1000
const COMPRESSIBLE = /^(?:text\/(?!event-stream)|application\/(?:json|javascript|manifest\+json|xml)|image\/svg)/

export function compressAnswers(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (
      (typeof payload !== 'string' && !Buffer.isBuffer(payload)) ||
      payload.length < WORTH_BYTES ||
      !wantsGzip(request) ||
      !isCompressible(reply)
    )
      return done(null, payload)
    gzip(payload, (error, compressed) => {
      if (error !== null) return done(null, payload)
      reply.removeHeader('content-length')
      void reply.headers({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
      done(null, compressed)
    })
  })
}

export function wantsGzip({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const accepted = headers['accept-encoding']
  return (
    typeof accepted === 'string' && /(?:^|,)\s*(?:gzip|\*)\s*(?:;(?!\s*q=0(?:\.0*)?\s*(?:,|$))|,|$)/i.test(accepted)
  )
}

function isCompressible(reply: FastifyReply): boolean {
  return (
    reply.getHeader('content-encoding') === undefined &&
    COMPRESSIBLE.test(String(reply.getHeader('content-type') ?? ''))
  )
}
