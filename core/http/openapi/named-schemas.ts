// Turns shapes that occur in several operations into one named component each, so that a client has one type for each.
// A shape is named by a title in PascalCase, such as `Item`.
import { isDeepStrictEqual } from 'node:util'
import type { Operation } from './operation.ts'
import { KEYWORDS } from './vocabulary.ts'
import { defined } from '@playhead/sdk/host'

type Schema = Readonly<Record<string, unknown>>

const NAME = /^[A-Z][A-Za-z0-9]+$/
const REF = '#/components/schemas/'

/** Moves named shapes of the operation into `schemas`. If the name has another shape, `fallback` becomes its prefix. */
export function nameSchemas(operation: Operation, schemas: Record<string, unknown>, fallback: string): void {
  const parts = [operation.requestBody, ...Object.values(operation.responses)]
  for (const media of parts.flatMap((part) => Object.values(part?.content ?? {})))
    if (media.schema !== undefined) media.schema = named(media.schema as Schema) as object

  function named(schema: unknown): unknown {
    if (typeof schema !== 'object' || schema === null) return schema
    const inner: Record<string, unknown> = {}
    for (const [key, value] of Object.entries(schema)) {
      if (KEYWORDS.one.includes(key)) inner[key] = named(value)
      else if (KEYWORDS.many.includes(key)) inner[key] = (value as unknown[]).map(named)
      else if (KEYWORDS.named.includes(key))
        inner[key] = Object.fromEntries(Object.entries(value as object).map(([name, one]) => [name, named(one)]))
      else inner[key] = value
    }
    const { title, description, ...shape } = inner
    if (typeof title !== 'string' || !NAME.test(title) || shape['properties'] === undefined) return inner
    const name = [title, `${fallback}${title}`].find((one) => isSame(schemas[one], shape))
    if (name === undefined) return inner
    schemas[name] ??= { ...defined({ description }), ...shape }
    const own = (schemas[name] as Schema)['description']
    return { $ref: `${REF}${name}`, ...(description === undefined || description === own ? {} : { description }) }
  }
}

/** True if the name is free, or already has this shape. */
function isSame(known: unknown, shape: Schema): boolean {
  if (known === undefined) return true
  const { description: _, ...other } = known as Schema
  // As JSON: the schemas have symbols of their library.
  return isDeepStrictEqual(JSON.parse(JSON.stringify(other)), JSON.parse(JSON.stringify(shape)))
}
