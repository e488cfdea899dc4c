// Helpers for HTTP responses: skipping serialization, and conditional requests.
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Error answers: HTTP status to reason code to one sentence. */
export type ErrorReasons = Readonly<Record<number, Readonly<Record<string, string>>>>

declare module 'fastify' {
  interface FastifySchema {
    /**
     * The route's own reasons for refusals, beside those of every route (access, malformed requests, full disk).
     * For the API description only.
     *
     * @example errors: { 409: { already_running: 'Another run is in progress.' } }
     */
    readonly errors?: ErrorReasons
    /**
     * Bodies that the route reads itself, for example uploads: JSON schema by media type. For the API description only.
     *
     * @example takes: { 'multipart/form-data': UploadedFile }
     */
    readonly takes?: Readonly<Record<string, object>>
  }
}

/**
 * Skips Fastify's response serialization: the `response` schema still documents the route in /openapi.json, but no
 * field is removed and long bodies are stringified once.
 *
 * @example app.get('/api/things', { ...skipSerializer, schema: { response: { 200: Things } } }, () => things())
 */
export const skipSerializer = {
  serializerCompiler:
    () =>
    (answer: unknown): string =>
      JSON.stringify(answer),
}

/**
 * Conditional request (RFC 9110, 8.8.3): sets the `etag` and `cache-control` headers, and status 304 when the client
 * has this version. The body must be empty then.
 *
 * @param version ASCII letters, digits and `-_.:`; changes with the response
 *
 * @example if (isNotModified(request, reply, revision)) return reply.send()
 */
export function isNotModified(
  request: Pick<FastifyRequest, 'headers'>,
  reply: Pick<FastifyReply, 'header' | 'code'>,
  version: string,
): boolean {
  const tag = `"${version}"`
  void reply.header('etag', tag).header('cache-control', 'private, no-cache')
  // Compression makes the tag weak (`W/`); the content is the same.
  const known = (request.headers['if-none-match'] ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''))
  if (!known.includes(tag) && !known.includes('*')) return false
  void reply.code(304)
  return true
}
