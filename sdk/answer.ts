// How answers are sent: as they are, or not at all when the client has them.
import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * For a route whose `response` schema describes the answer in /openapi.json and is not applied to it: nothing is cut
 * off, and a long answer costs no more than its text.
 *
 * @example app.get('/api/things', { ...asItIs, schema: { response: { 200: Things } } }, () => things())
 */
export const asItIs = {
  serializerCompiler:
    () =>
    (answer: unknown): string =>
      JSON.stringify(answer),
}

/**
 * Names the version of an answer (RFC 9110, 8.8.3) and sets the status 304 when the client has this one; the answer is
 * to be empty then. Clients keep the answer and ask each time.
 *
 * @param version any text of ASCII letters, digits and `-_.:`; another one for another answer
 *
 * @example if (isKnown(request, reply, revision)) return reply.send()
 */
export function isKnown(
  request: Pick<FastifyRequest, 'headers'>,
  reply: Pick<FastifyReply, 'header' | 'code'>,
  version: string,
): boolean {
  const tag = `"${version}"`
  void reply.header('etag', tag).header('cache-control', 'private, no-cache')
  // Compressed answers are marked as weak on their way: the text is the same.
  const known = (request.headers['if-none-match'] ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''))
  if (!known.includes(tag) && !known.includes('*')) return false
  void reply.code(304)
  return true
}
