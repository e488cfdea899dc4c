// Helpers for HTTP responses: skipping serialization, and conditional requests.
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Error answers: HTTP status to reason code to one sentence. */
export type ErrorReasons = Readonly<Record<number, Readonly<Record<string, string>>>>

declare module 'fastify' {
  interface FastifySchema {
    /** The route in one line, for the API description. */
    summary?: string
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

  interface FastifyContextConfig {
    /**
     * The revision of a GET route's data: a short text that differs whenever the answer to the same request may differ.
     * The answer is tagged with it: a client that has it gets 304, and the service keeps the last body of each address and
     * caller (some megabytes in all), so that the handler is called once per revision. Neither happens for null.
     *
     * It names everything that the handler reads beside the request (address, caller, `accept-language`): the revision of
     * tables (`OwnDatabase.revision`), settings and other plugins (`host.revision`), memory, and the clock. It is called
     * before and after the handler, must cost little, and must already differ when the change is confirmed to its author.
     * An answer with `cache-control: no-store` is neither tagged nor kept. A new version of the plugin starts afresh.
     *
     * @example app.get('/api/things', { config: { revision: () => database.revision() }, schema }, () => things())
     */
    revision?(request: FastifyRequest): string | null | Promise<string | null>
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
