// A save under the condition that the settings are still those that the client looked at: by `If-Match`, or by a field
// of the body.
import type { FastifyRequest } from 'fastify'
import { Type } from '@sinclair/typebox'

/** A revision of another type is refused: what cannot be compared must not overwrite. */
export const Revision = Type.Optional(
  Type.String({ maxLength: 64, description: 'Refuses the save (409) when the settings were changed since.' }),
)

/**
 * The revision that a client holds; undefined when it asks for no check. What follows the dot in the version of an
 * answer says how the settings were shown, and matters to no save.
 */
export function ifRevision(
  { headers }: Pick<FastifyRequest, 'headers'>,
  inBody: string | undefined,
): string | undefined {
  const header = headers['if-match']?.trim()
  return header === undefined || header === '*' ? inBody : header.replace(/^W\//, '').replace(/^"([^".]*).*"$/, '$1')
}
