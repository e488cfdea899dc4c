// Conditional saves: by `If-Match`, or by a field of the body.
import type { FastifyRequest } from 'fastify'
import { Type } from '@sinclair/typebox'

/** Another type is rejected, because it cannot be compared. */
export const Revision = Type.Optional(
  Type.String({ maxLength: 64, description: 'Refuses the save (409) when the settings were changed since.' }),
)

/**
 * The client's revision; undefined for an unconditional save. The part of an ETag after the dot identifies the
 * representation and is ignored.
 */
export function ifRevision(
  { headers }: Pick<FastifyRequest, 'headers'>,
  inBody: string | undefined,
): string | undefined {
  const header = headers['if-match']?.trim()
  return header === undefined || header === '*' ? inBody : header.replace(/^W\//, '').replace(/^"([^".]*).*"$/, '$1')
}
